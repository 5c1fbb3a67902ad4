" Names the syntax group at a few places of the buffer.
for [line, column] in [[1, 3], [1, 11], [1, 15], [1, 19], [2, 1], [2, 4], [2, 10], [3, 3], [3, 8], [3, 12]]
  echo line . ':' . column . ' ' . synIDattr(synID(line, column, 1), 'name')
endfor
