rows_moves.o: src/ui/view/rows_moves.c src/ui/view/rows_moves.h \
 src/ui/draw/fade.h src/ui/term/canvas.h
src/ui/view/rows_moves.h:
src/ui/draw/fade.h:
src/ui/term/canvas.h:
