# Miss ratio by capacity · stress-flicks
# Draws this chart again: gnuplot stress-flicks-miss-ratio.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Miss ratio by capacity · stress-flicks' at screen 0.5, screen 0.9363905325 center font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.08333333333
set rmargin at screen 0.8651666667
set tmargin at screen 0.8639053254
set bmargin at screen 0.124260355
set logscale x
set xrange [4999995:200000200]
set xtics ('5 MB' 5000000, '10 MB' 10000000, '20 MB' 20000000, '50 MB' 50000000, '100 MB' 100000000, '200 MB' 200000000, '' 6000000 1, '' 7000000 1, '' 8000000 1, '' 9000000 1, '' 30000000 1, '' 40000000 1, '' 60000000 1, '' 70000000 1, '' 80000000 1, '' 90000000 1)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'capacity in bytes (logarithmic)'
set ylabel 'miss ratio' offset -1.5
unset key
set arrow from screen 0.745028031, screen 0.3108618284 to screen 0.8735, screen 0.3108618284 nohead linewidth 0.8 linecolor rgb '#CC79A7' dashtype (2,3)
set arrow from screen 0.8735, screen 0.3108618284 to screen 0.9018333333, screen 0.3381008357 nohead linewidth 0.8 linecolor rgb '#CC79A7' dashtype solid
set label 'w-tinylfu' left at screen 0.9185, screen 0.3381008357 textcolor rgb '#CC79A7'
set label '' at screen 0.9093333333, screen 0.3381008357 point pointtype 11 linewidth 2 linecolor rgb '#CC79A7'
set arrow from screen 0.745028031, screen 0.2702962907 to screen 0.8735, screen 0.2702962907 nohead linewidth 0.8 linecolor rgb '#D55E00' dashtype (2,3)
set arrow from screen 0.8735, screen 0.2702962907 to screen 0.9018333333, screen 0.3085150369 nohead linewidth 0.8 linecolor rgb '#D55E00' dashtype solid
set label 'sieve' left at screen 0.9185, screen 0.3085150369 textcolor rgb '#D55E00'
set label '' at screen 0.9093333333, screen 0.3085150369 point pointtype 5 linewidth 2 linecolor rgb '#D55E00'
set arrow from screen 0.745028031, screen 0.2509149782 to screen 0.8735, screen 0.2509149782 nohead linewidth 0.8 linecolor rgb '#E69F00' dashtype (2,3)
set arrow from screen 0.8735, screen 0.2509149782 to screen 0.9018333333, screen 0.2789292381 nohead linewidth 0.8 linecolor rgb '#E69F00' dashtype solid
set label 'gdsf' left at screen 0.9185, screen 0.2789292381 textcolor rgb '#E69F00'
set label '' at screen 0.9093333333, screen 0.2789292381 point pointtype 13 linewidth 2 linecolor rgb '#E69F00'
set arrow from screen 0.745028031, screen 0.2509149782 to screen 0.8735, screen 0.2509149782 nohead linewidth 0.8 linecolor rgb '#009E73' dashtype (2,3)
set arrow from screen 0.8735, screen 0.2509149782 to screen 0.9018333333, screen 0.2493434393 nohead linewidth 0.8 linecolor rgb '#009E73' dashtype solid
set label 's3fifo' left at screen 0.9185, screen 0.2493434393 textcolor rgb '#009E73'
set label '' at screen 0.9093333333, screen 0.2493434393 point pointtype 9 linewidth 2 linecolor rgb '#009E73'
set arrow from screen 0.745028031, screen 0.2509149782 to screen 0.8735, screen 0.2509149782 nohead linewidth 0.8 linecolor rgb '#0072B2' dashtype (2,3)
set arrow from screen 0.8735, screen 0.2509149782 to screen 0.9018333333, screen 0.2197576404 nohead linewidth 0.8 linecolor rgb '#0072B2' dashtype solid
set label 'lru' left at screen 0.9185, screen 0.2197576404 textcolor rgb '#0072B2'
set label '' at screen 0.9093333333, screen 0.2197576404 point pointtype 7 linewidth 2 linecolor rgb '#0072B2'
set arrow from screen 0.745028031, screen 0.2509149782 to screen 0.8735, screen 0.2509149782 nohead linewidth 0.8 linecolor rgb '#555555' dashtype (2,3)
set arrow from screen 0.8735, screen 0.2509149782 to screen 0.9018333333, screen 0.1901718416 nohead linewidth 0.8 linecolor rgb '#555555' dashtype solid
set label 'belady' left at screen 0.9185, screen 0.1901718416 textcolor rgb '#555555'
set label '' at screen 0.9093333333, screen 0.1901718416 point pointtype 2 linewidth 2 linecolor rgb '#555555'
set terminal svg size 1200,676 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-miss-ratio.svg'
plot 'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with linespoints linewidth 2 linecolor rgb '#0072B2' dashtype solid pointtype 7 notitle, \
     'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with linespoints linewidth 2 linecolor rgb '#D55E00' dashtype solid pointtype 5 notitle, \
     'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with linespoints linewidth 2 linecolor rgb '#009E73' dashtype solid pointtype 9 notitle, \
     'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with linespoints linewidth 2 linecolor rgb '#CC79A7' dashtype solid pointtype 11 notitle, \
     'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with linespoints linewidth 2 linecolor rgb '#E69F00' dashtype solid pointtype 13 notitle, \
     'stress-flicks-miss-ratio.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with linespoints linewidth 2.5 linecolor rgb '#555555' dashtype solid pointtype 2 notitle
set terminal pngcairo size 1200,676 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-miss-ratio.png'
replot
set output
# checksum 62606fa80bb26038
