past.o: src/ui/scene/past.c src/ui/scene/past.h src/model/eval/window.h \
 src/model/eval/eval.h src/base/err.h src/model/eval/sample.h \
 src/model/load/expr.h src/model/load/frame.h src/model/load/model.h \
 src/base/array.h src/base/toml.h src/model/eval/spread.h \
 src/model/run/series.h src/model/stats/moments.h src/session/session.h \
 src/model/eval/steady.h src/model/run/change_point.h \
 src/model/run/history.h src/model/run/record.h src/model/run/run.h \
 src/pmu/host/auto_labels.h src/pmu/host/environment.h src/pmu/env_look.h \
 src/pmu/host/doctor.h src/pmu/host/machine.h src/pmu/source.h \
 src/pmu/mailbox.h src/model/eval/units.h src/pmu/plan/focus.h \
 src/pmu/sampler.h
src/ui/scene/past.h:
src/model/eval/window.h:
src/model/eval/eval.h:
src/base/err.h:
src/model/eval/sample.h:
src/model/load/expr.h:
src/model/load/frame.h:
src/model/load/model.h:
src/base/array.h:
src/base/toml.h:
src/model/eval/spread.h:
src/model/run/series.h:
src/model/stats/moments.h:
src/session/session.h:
src/model/eval/steady.h:
src/model/run/change_point.h:
src/model/run/history.h:
src/model/run/record.h:
src/model/run/run.h:
src/pmu/host/auto_labels.h:
src/pmu/host/environment.h:
src/pmu/env_look.h:
src/pmu/host/doctor.h:
src/pmu/host/machine.h:
src/pmu/source.h:
src/pmu/mailbox.h:
src/model/eval/units.h:
src/pmu/plan/focus.h:
src/pmu/sampler.h:
