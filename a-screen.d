screen.o: src/ui/app/screen.c src/ui/app/screen.h \
 src/model/eval/derivation.h src/base/str.h src/base/err.h \
 src/model/eval/eval.h src/model/eval/sample.h src/model/load/expr.h \
 src/model/load/frame.h src/model/load/model.h src/base/array.h \
 src/base/toml.h src/model/eval/window.h src/model/eval/spread.h \
 src/model/eval/needs.h src/model/knowledge/guide.h \
 src/model/knowledge/text_sink.h src/ui/app/focus_policy.h \
 src/session/session.h src/model/eval/steady.h \
 src/model/run/change_point.h src/model/run/history.h \
 src/model/run/record.h src/model/run/run.h src/model/run/series.h \
 src/model/stats/moments.h src/pmu/host/auto_labels.h \
 src/pmu/host/environment.h src/pmu/env_look.h src/pmu/host/doctor.h \
 src/pmu/host/machine.h src/pmu/source.h src/pmu/mailbox.h \
 src/model/eval/units.h src/pmu/plan/focus.h src/pmu/sampler.h \
 src/ui/app/types.h src/session/hybrid.h src/ui/draw/layout.h \
 src/ui/term/canvas.h src/ui/popup/ask.h src/ui/draw/form.h \
 src/ui/popup/help.h src/ui/scene/search.h src/ui/popup/links.h \
 src/ui/draw/page.h src/ui/popup/overlay.h src/ui/popup/palette.h \
 src/ui/popup/snapshot.h src/ui/popup/saver.h src/db/store.h \
 src/ui/runs/runs_view.h src/ui/runs/runs.h src/ui/runs/runs_edit.h \
 src/ui/runs/runs_trend.h src/model/stats/outlier.h src/ui/scene/scene.h \
 src/model/knowledge/explain.h src/ui/draw/chart.h src/ui/draw/scale.h \
 src/ui/draw/outline.h src/ui/scene/baseline.h \
 src/model/compare/compare.h src/ui/scene/past.h src/ui/scene/bench.h \
 src/ui/scene/changes.h src/ui/draw/fade.h src/ui/scene/cost.h \
 src/ui/scene/cursor.h src/ui/scene/sentence.h \
 src/model/knowledge/advice.h src/ui/scene/view.h \
 src/ui/scene/key_context.h src/ui/term/term.h src/base/clock.h \
 src/ui/app/borders.h src/ui/app/find.h src/ui/app/keys.h \
 src/ui/scene/app.h src/ui/app/views.h src/ui/draw/words.h \
 src/ui/view/rows.h src/ui/view/rows_moves.h src/ui/runs/runs_open.h
src/ui/app/screen.h:
src/model/eval/derivation.h:
src/base/str.h:
src/base/err.h:
src/model/eval/eval.h:
src/model/eval/sample.h:
src/model/load/expr.h:
src/model/load/frame.h:
src/model/load/model.h:
src/base/array.h:
src/base/toml.h:
src/model/eval/window.h:
src/model/eval/spread.h:
src/model/eval/needs.h:
src/model/knowledge/guide.h:
src/model/knowledge/text_sink.h:
src/ui/app/focus_policy.h:
src/session/session.h:
src/model/eval/steady.h:
src/model/run/change_point.h:
src/model/run/history.h:
src/model/run/record.h:
src/model/run/run.h:
src/model/run/series.h:
src/model/stats/moments.h:
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
src/ui/app/types.h:
src/session/hybrid.h:
src/ui/draw/layout.h:
src/ui/term/canvas.h:
src/ui/popup/ask.h:
src/ui/draw/form.h:
src/ui/popup/help.h:
src/ui/scene/search.h:
src/ui/popup/links.h:
src/ui/draw/page.h:
src/ui/popup/overlay.h:
src/ui/popup/palette.h:
src/ui/popup/snapshot.h:
src/ui/popup/saver.h:
src/db/store.h:
src/ui/runs/runs_view.h:
src/ui/runs/runs.h:
src/ui/runs/runs_edit.h:
src/ui/runs/runs_trend.h:
src/model/stats/outlier.h:
src/ui/scene/scene.h:
src/model/knowledge/explain.h:
src/ui/draw/chart.h:
src/ui/draw/scale.h:
src/ui/draw/outline.h:
src/ui/scene/baseline.h:
src/model/compare/compare.h:
src/ui/scene/past.h:
src/ui/scene/bench.h:
src/ui/scene/changes.h:
src/ui/draw/fade.h:
src/ui/scene/cost.h:
src/ui/scene/cursor.h:
src/ui/scene/sentence.h:
src/model/knowledge/advice.h:
src/ui/scene/view.h:
src/ui/scene/key_context.h:
src/ui/term/term.h:
src/base/clock.h:
src/ui/app/borders.h:
src/ui/app/find.h:
src/ui/app/keys.h:
src/ui/scene/app.h:
src/ui/app/views.h:
src/ui/draw/words.h:
src/ui/view/rows.h:
src/ui/view/rows_moves.h:
src/ui/runs/runs_open.h:
