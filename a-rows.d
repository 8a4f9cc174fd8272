rows.o: src/ui/view/rows.c src/ui/view/rows.h src/model/eval/eval.h \
 src/base/err.h src/model/eval/sample.h src/model/load/expr.h \
 src/model/load/frame.h src/model/load/model.h src/base/array.h \
 src/base/toml.h src/model/eval/units.h src/ui/scene/search.h \
 src/ui/view/rows_moves.h src/ui/draw/fade.h src/ui/term/canvas.h \
 src/base/clock.h
src/ui/view/rows.h:
src/model/eval/eval.h:
src/base/err.h:
src/model/eval/sample.h:
src/model/load/expr.h:
src/model/load/frame.h:
src/model/load/model.h:
src/base/array.h:
src/base/toml.h:
src/model/eval/units.h:
src/ui/scene/search.h:
src/ui/view/rows_moves.h:
src/ui/draw/fade.h:
src/ui/term/canvas.h:
src/base/clock.h:
