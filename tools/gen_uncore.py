"""Where the Linux kernel counts the events outside Intel's cores: sysfs devices and fields of their format/."""
from model_toml import quoted

DEVICES = {"CHA": "uncore_cha", "CBO": "uncore_cbox", "IMC": "uncore_imc", "iMC": "uncore_imc",
           "UPI LL": "uncore_upi", "QPI LL": "uncore_qpi", "IIO": "uncore_iio", "IRP": "uncore_irp",
           "PCU": "uncore_pcu", "M2M": "uncore_m2m", "ARB": "uncore_arb"}
# The clock of client uncores is a fixed counter, which the kernel calls event 0xff and puts into
# another PMU per generation (arch/x86/events/intel/uncore_snb.c); where it has none, no code.
CLOCK = "UNC_CLOCK.SOCKET"
CLOCK_PLACES = [
    (("SNB", "IVB", "HSW", "BDW", "SKL"), ("uncore_cbox_0", "event=0xff")),
    (("ICL", "RKL", "TGL", "ADL-GLC"), ("uncore_clock", "event=0xff")),
    (("MTL-RWC", "ARL-LNC"), ("uncore_cncu", "event=0xff")),
    (("LNL-LNC", "PTL-CGC"), ("uncore_santa", None)),
]
# The kernel counts energy in 2^-32 J. Formulas mean the hardware's units: 2^-14 J (61 uJ) of a
# package, 2^-16 J (15.3 uJ) of memory.
ENERGY = {"FREERUN_DRAM_ENERGY_STATUS": ("energy-ram", 2.0 ** -16)}
ENERGY_PACKAGE = ("energy-pkg", 2.0 ** -18)
# What these need beside their codes on Skylake and Cascade Lake servers: the second filter register
# of the CHA set to misses of the opcode DRd, as perf's own event lists have it.
FILTERS = {"UNC_CHA_TOR_INSERTS.IA_MISS_DRD": "config1=0x4043300000000",
           "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD": "config1=0x4043300000000"}


def code(value):
    return f"0x{int(value, 0):02x}"


def terms_of(name, event):
    umask = int(event.get("umask", "0"), 0)
    if "portmask" not in event:  # there the extension says the same again
        umask |= int(event.get("umaskext", "0"), 0) << 8
    terms = [f"event={code(event.get('code', '0'))}"]
    for key, value in (("umask", umask), ("ch_mask", event.get("portmask")),
                       ("fc_mask", event.get("fcmask"))):
        if value:
            terms.append(f"{key}={code(str(value))}")
    if name in FILTERS and not event.get("umaskext"):
        terms.append(FILTERS[name])
    return ",".join(terms)


def place(name, event, core):
    """Where the kernel counts it, as fields of the event's line."""
    if event.get("rapl"):
        sysfs, scale = ENERGY.get(name, ENERGY_PACKAGE)
        return ['device = "power"', f"sysfs = {quoted(sysfs)}", f"scale = {scale!r}"]
    if name == CLOCK:
        device, terms = next((found for cores, found in CLOCK_PLACES if core in cores), (None, None))
    else:
        device = DEVICES.get(event.get("unit"))
        terms = terms_of(name, event)
    return [f"{key} = {quoted(value)}" for key, value in (("device", device), ("terms", terms))
            if device and value]
