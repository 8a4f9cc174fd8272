cost.o: src/ui/scene/cost.c src/ui/scene/cost.h src/base/clock.h \
 src/base/folder.h src/base/str.h src/base/err.h
src/ui/scene/cost.h:
src/base/clock.h:
src/base/folder.h:
src/base/str.h:
src/base/err.h:
