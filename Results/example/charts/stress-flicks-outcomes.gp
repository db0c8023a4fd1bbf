# What became of the requests · stress-flicks
# Draws this chart again: gnuplot stress-flicks-outcomes.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'What became of the requests · stress-flicks' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.1356666667
set tmargin at screen 0.8710865562
set bmargin at screen 0.1933701657
set yrange [8.6:0.4]
unset ytics
set key at screen 0.5, screen 0.05524861878 center center vertical maxrows 1 Left reverse samplen 2
set label 'visible-first' right at graph 0, first 1 offset character -1, character 0
set label 'plain' right at graph 0, first 2 offset character -1, character 0
set label 'nscache-on-linux' right at graph 0, first 3 offset character -1, character 0
set label 'disk-only' right at graph 0, first 4 offset character -1, character 0
set label 'cancels' right at graph 0, first 5 offset character -1, character 0
set label 'memory-only' right at graph 0, first 6 offset character -1, character 0
set label 'waits-for-rest' right at graph 0, first 7 offset character -1, character 0
set label 'one-connection' right at graph 0, first 8 offset character -1, character 0
unset logscale x
set xrange [0:1]
set xtics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'share of requests'
set rmargin at screen 0.92
set label 'shown' at graph 1.012, graph 1.02
set style fill solid 1 border rgb '#ffffff'
unset grid
set label '88.2%' at graph 1.012, first 1
set label '86.4%' at graph 1.012, first 2
set label '86.4%' at graph 1.012, first 3
set label '86.4%' at graph 1.012, first 4
set label '85.6%' at graph 1.012, first 5
set label '77.6%' at graph 1.012, first 6
set label '48.3%' at graph 1.012, first 7
set label '18.6%' at graph 1.012, first 8
set terminal svg size 1200,543 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-outcomes.svg'
plot 'stress-flicks-outcomes.csv' skip 1 using (0):1:(0):($3):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#0072B2' title 'memory', \
     'stress-flicks-outcomes.csv' skip 1 using ($3):1:($3):($3+$4):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#56B4E9' title 'disk', \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4):1:($3+$4):($3+$4+$5):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#009E73' title 'coalesced', \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5):1:($3+$4+$5):($3+$4+$5+$6):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#E69F00' title 'origin', \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6):1:($3+$4+$5+$6):($3+$4+$5+$6+$7):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#E4E4E4' title 'late', \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7):1:($3+$4+$5+$6+$7):($3+$4+$5+$6+$7+$8):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#BBBBBB' title 'never', \
     'stress-flicks-outcomes.csv' skip 1 using (0+$3/2):1:($3 >= 0.05 ? sprintf('%.0f%%', 100*$3) : '') with labels textcolor rgb '#ffffff' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4/2):1:($4 >= 0.05 ? sprintf('%.0f%%', 100*$4) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5/2):1:($5 >= 0.05 ? sprintf('%.0f%%', 100*$5) : '') with labels textcolor rgb '#ffffff' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6/2):1:($6 >= 0.05 ? sprintf('%.0f%%', 100*$6) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7/2):1:($7 >= 0.05 ? sprintf('%.0f%%', 100*$7) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7+$8/2):1:($8 >= 0.05 ? sprintf('%.0f%%', 100*$8) : '') with labels textcolor rgb '#010101' notitle
set terminal pngcairo size 1200,543 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-outcomes.png'
replot
set output
# checksum 1daf51a81aee97f
