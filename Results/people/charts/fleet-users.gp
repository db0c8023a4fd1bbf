# Blank time of 56 users
# Draws this chart again: gnuplot fleet-users.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label '4 of 10 caches tie within 0.1 points: kingfisher-8, nuke-13, sdwebimage-5 and coil-3 coalescing.' at screen 0.5, screen 0.940027894 center font ',17'
set label 'Blank time of 56 users · 56 sessions · 56 users' at screen 0.5, screen 0.9065550907 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.274
set tmargin at screen 0.8716875872
set bmargin at screen 0.1464435146
set yrange [10.6:0.4]
unset ytics
set key at screen 0.5, screen 0.04184100418 center center vertical maxrows 1 Left reverse samplen 2
set label '3 caches: kingfisher-8, kingfisher-8'."\n".'[fifo], kingfisher-8 [frequency]' right at graph 0, first 1 offset character -1, character 0.5
set label 'nuke-13' right at graph 0, first 2 offset character -1, character 0
set label 'sdwebimage-5' right at graph 0, first 3 offset character -1, character 0
set label 'coil-3 coalescing' right at graph 0, first 4 offset character -1, character 0
set label 'glide' right at graph 0, first 5 offset character -1, character 0
set label 'nuke-13 50 MB' right at graph 0, first 6 offset character -1, character 0
set label 'fresco' right at graph 0, first 7 offset character -1, character 0
set label 'coil-3' right at graph 0, first 8 offset character -1, character 0
set label 'nuke-13 no prefetch' right at graph 0, first 9 offset character -1, character 0
set label 'urlcache' right at graph 0, first 10 offset character -1, character 0
unset logscale x
set xrange [0:0.2]
set xtics ('0%%' 0, '5%%' 0.05, '10%%' 0.1, '15%%' 0.15, '20%%' 0.2)
set xlabel 'blank: share of the visible time without the image'
set rmargin at screen 0.95
set terminal svg size 1200,717 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'fleet-users.svg'
plot 'fleet-users.csv' skip 1 using 3:1:($7-$3):(0) with vectors nohead linewidth 2 linecolor rgb '#BBBBBB' title 'p5 to p95', \
     'fleet-users.csv' skip 1 using 4:1:($6-$4):(0) with vectors nohead linewidth 7 linecolor rgb '#56B4E9' title 'p25 to p75', \
     'fleet-users.csv' skip 1 using 5:1 with points pointtype 7 linecolor rgb '#0072B2' title 'median', \
     'fleet-users.csv' skip 1 using 2:1 with points pointtype 12 linewidth 2 linecolor rgb '#D55E00' title 'mean'
set terminal pngcairo size 1200,717 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'fleet-users.png'
replot
set output
# checksum 3f64ab8dd24aecb7
