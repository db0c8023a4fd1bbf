# Blank time against peak memory · stress-flicks
# Draws this chart again: gnuplot stress-flicks-tradeoff.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'visible-first holds up to 47 MB in memory. With less, disk-only comes closest: it holds nothing in' at screen 0.5, screen 0.9747191011 center font ',17'
set label 'memory, and is 0.9 points behind.' at screen 0.5, screen 0.9396067416 center font ',17'
set label 'Blank time against peak memory · stress-flicks · one shared link · modelled durations with decoding · one run each' at screen 0.5, screen 0.9058988764 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8707865169
set bmargin at screen 0.1713483146
unset logscale x
set xrange [0:50000000]
set xtics ('0 B' 0, '10 MB' 10000000, '20 MB' 20000000, '30 MB' 30000000, '40 MB' 40000000, '50 MB' 50000000)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'peak of the memory tier'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 0, first 0 to first 0, first 1 to first 0, first 1 to first 0, first 0.1225085295 to first 46651200, first 0.1225085295 to first 46651200, first 0.1224866807 to first 46992000, first 0.1224866807 to first 46992000, first 0.1133362705 to first 50000000, first 0.1133362705 to first 50000000, first 0 to first 0, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' right at screen 0.8883626667, screen 0.2255203738
set label 'cancels' left at screen 0.9025946667, screen 0.2928973334
set label 'one-connection' right at screen 0.8878682667, screen 0.720898771
set label 'waits-for-rest' right at screen 0.8883626667, screen 0.4759376021
set label 'memory-only' left at screen 0.9083626667, screen 0.3460352278
set label 'disk-only' left at screen 0.1016666667, screen 0.2570354602
set label '[1] 3 caches: plain, visible-first, nscache-on-linux' left at screen 0.03, screen 0.02808988764
set terminal svg size 1200,712 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-tradeoff.svg'
plot 'stress-flicks-tradeoff.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-flicks-tradeoff.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2'
set terminal pngcairo size 1200,712 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-tradeoff.png'
replot
set output
# checksum 3164751be4432c21
