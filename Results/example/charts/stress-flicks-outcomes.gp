# What became of the requests · stress-flicks
# Draws this chart again: gnuplot stress-flicks-outcomes.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'visible-first leaves the least blank time on stress-flicks: 11.3% of the visible time. The next,' at screen 0.5, screen 0.9681415929 center font ',17'
set label 'plain, is 0.7 points behind: 12.1% against 11.3%.' at screen 0.5, screen 0.9238938053 center font ',17'
set label 'What became of the requests · stress-flicks · one shared link · modelled durations with decoding · one run each' at screen 0.5, screen 0.8814159292 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.1356666667
set tmargin at screen 0.8371681416
set bmargin at screen 0.185840708
set yrange [8.6:0.4]
unset ytics
set key at screen 0.5, screen 0.05309734513 center center vertical maxrows 1 Left reverse samplen 2
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
set label 'blank' at graph 1.012, graph 1.02
set style fill solid 1 border rgb '#ffffff'
unset grid
unset key
set label '11.3%' at graph 1.012, first 1
set label '12.1%' at graph 1.012, first 2
set label '12.2%' at graph 1.012, first 3
set label '12.3%' at graph 1.012, first 4
set label '17.4%' at graph 1.012, first 5
set label '25.0%' at graph 1.012, first 6
set label '43.5%' at graph 1.012, first 7
set label '78.6%' at graph 1.012, first 8
set object rectangle from screen 0.3178333333, screen 0.02123893805 to screen 0.3311666667, screen 0.04955752212 front fillcolor rgb '#16497F' fillstyle solid 1 noborder
set label 'memory' left at screen 0.337, screen 0.03539823009
set object rectangle from screen 0.4005, screen 0.02123893805 to screen 0.4138333333, screen 0.04955752212 front fillcolor rgb '#3484C5' fillstyle solid 1 noborder
set label 'disk' left at screen 0.4196666667, screen 0.03539823009
set object rectangle from screen 0.4686666667, screen 0.02123893805 to screen 0.482, screen 0.04955752212 front fillcolor rgb '#9ACCDD' fillstyle solid 1 noborder
set label 'network' left at screen 0.4878333333, screen 0.03539823009
set object rectangle from screen 0.5585833333, screen 0.02123893805 to screen 0.5719166667, screen 0.04955752212 front fillcolor rgb '#EC860A' fillstyle solid 1 noborder
set label 'late' left at screen 0.57775, screen 0.03539823009
set object rectangle from screen 0.62675, screen 0.02123893805 to screen 0.6400833333, screen 0.04955752212 front fillcolor rgb '#B6330C' fillstyle solid 1 noborder
set label 'never' left at screen 0.6459166667, screen 0.03539823009
set terminal svg size 1200,565 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-outcomes.svg'
plot 'stress-flicks-outcomes.csv' skip 1 using (0):1:(0):($3):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#16497F' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3):1:($3):($3+$4):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#3484C5' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4):1:($3+$4):($3+$4+$5):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#9ACCDD' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5):1:($3+$4+$5):($3+$4+$5+$6):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#EC860A' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6):1:($3+$4+$5+$6):($3+$4+$5+$6+$7):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#B6330C' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using (0+$3/2):1:($3 >= 0.05 ? sprintf('%.0f%%', 100*$3) : '') with labels textcolor rgb '#ffffff' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4/2):1:($4 >= 0.05 ? sprintf('%.0f%%', 100*$4) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5/2):1:($5 >= 0.05 ? sprintf('%.0f%%', 100*$5) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6/2):1:($6 >= 0.05 ? sprintf('%.0f%%', 100*$6) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7/2):1:($7 >= 0.05 ? sprintf('%.0f%%', 100*$7) : '') with labels textcolor rgb '#ffffff' notitle
set terminal pngcairo size 1200,565 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-outcomes.png'
replot
set output
# checksum a634dfde8974084b
