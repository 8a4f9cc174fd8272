metrics_remedy.o: src/ui/view/metrics_remedy.c src/base/str.h \
 src/base/err.h src/model/eval/sample.h src/ui/scene/app.h \
 src/ui/view/metrics.h src/model/knowledge/explain.h src/base/toml.h \
 src/model/load/frame.h src/model/load/model.h src/base/array.h \
 src/ui/scene/search.h
src/base/str.h:
src/base/err.h:
src/model/eval/sample.h:
src/ui/scene/app.h:
src/ui/view/metrics.h:
src/model/knowledge/explain.h:
src/base/toml.h:
src/model/load/frame.h:
src/model/load/model.h:
src/base/array.h:
src/ui/scene/search.h:
