search.o: src/ui/scene/search.c src/ui/scene/search.h
src/ui/scene/search.h:
