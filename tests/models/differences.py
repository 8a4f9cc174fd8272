"""Where the project's models differ from the vendors' formulas on purpose, with the reason: one table.

EBS        Counts of one hardware thread do not say what its core did. Intel's TMA tables have another form of
           core clocks for that (#EBS_Mode), the metric files have not; the models choose by EBS_MODE.
FALLBACKS  Where an event of a formula is not in the recording at all, these parts of it are left out or
           estimated, and the value is marked as approximate. Counters of sibling threads need a privilege,
           UOP_DROPPING is a small correction that costs a counter, many guests lack the counter of slots, and
           recordings of older tools lack Arm's BR_MIS_PRED.
CODES      Codes that the vendor's table has wrong.
UNCLAMPED  The facts' formula of Bad_Speculation on Zen 1 to 3, which is no vendor's, makes 0 of a difference
           below 0. Level 1 would then sum to more than 1, and nothing would say that the two counts do not fit
           each other; Zen 4's own formula of the same difference stays negative, and so do the models.
"""
import re

from formula import Formula

OWN_CLOCKS = "Info_Thread_CLKS / 2 * (1 + CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE / CPU_CLK_UNHALTED.REF_XCLK)"
ANY_CLOCKS = "CPU_CLK_UNHALTED.THREAD_ANY / 2"
UNCLAMPED = {"Bad_Speculation": (r"^max\(0, (0xaa:3 - 0xc1)\)", r"(\1)")}
EBS = (re.escape(ANY_CLOCKS), OWN_CLOCKS)
FALLBACKS = [
    (r" - INT_MISC\.UOP_DROPPING( / Info_Thread_SLOTS)?(?=$|\) / Info_Thread_SLOTS$)", ""),
    (r"\(INT_MISC\.RECOVERY_CYCLES_ANY / 2 if SMT_ON else INT_MISC\.RECOVERY_CYCLES\)", "INT_MISC.RECOVERY_CYCLES"),
    (r"\(CPU_CLK_UNHALTED\.REF_XCLK_ANY / 2\)", "CPU_CLK_UNHALTED.REF_XCLK"),
    (r"^TOPDOWN\.SLOTS(:perf_metrics)?$", "TOPDOWN.SLOTS_P"),
    (r" [-+] BR_MIS_PRED( \* \d)? / CPU_CYCLES(?=\)$)", ""),
    EBS,
]
# (model, event) -> what the model has, and why. The vendor's umask 0x18 is that of 4_FLOPS; its own table of
# single bits has the 8-operation ones (256 bits single, 512 bits double) at 0x20 and 0x40.
CODES = {(model, "FP_ARITH_INST_RETIRED.8_FLOPS"): ((0x60c7, 0), "umask 0x18 is 4_FLOPS")
         for model in ("skx", "clx")}
OPTIONAL_EVENTS = ("INT_MISC.UOP_DROPPING", "BR_MIS_PRED")


def changed(text, rules):
    """The formula with the rules applied, or None if none of them fits."""
    new = text
    for pattern, instead in rules:
        new = re.sub(pattern, instead, new)
    return Formula(new) if new != text else None


def applied(model):
    for m in model.metrics.values():
        if m.name in UNCLAMPED:
            m.formula = changed(m.formula.text, [UNCLAMPED[m.name]]) or m.formula
        m.fallback = changed(m.formula.text, FALLBACKS)
        m.ebs = changed(m.formula.text, [EBS])
    return model
