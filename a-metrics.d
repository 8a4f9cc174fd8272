metrics.o: src/ui/view/metrics.c src/ui/view/metrics.h \
 src/model/knowledge/explain.h src/base/err.h src/base/toml.h \
 src/model/load/frame.h src/model/load/model.h src/base/array.h \
 src/ui/scene/search.h src/base/str.h src/model/load/model_text.h \
 src/model/load/expr.h
src/ui/view/metrics.h:
src/model/knowledge/explain.h:
src/base/err.h:
src/base/toml.h:
src/model/load/frame.h:
src/model/load/model.h:
src/base/array.h:
src/ui/scene/search.h:
src/base/str.h:
src/model/load/model_text.h:
src/model/load/expr.h:
