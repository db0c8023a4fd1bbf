# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-wifi.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 oracle(2s) leaves the least blank time on stress-feed: 0.1% of the visible time. The next,' at screen 0.5, screen 0.9760638298 center font ',17'
set label 'nuke-13 next(12), is 0.5 points behind: 0.6% against 0.1%.' at screen 0.5, screen 0.9428191489 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network wifi · modelled durations with decoding · one run each' at screen 0.5, screen 0.9109042553 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8776595745
set bmargin at screen 0.2154255319
unset logscale x
set xrange [30000000:70000000]
set xtics ('30 MB' 30000000, '40 MB' 40000000, '50 MB' 50000000, '60 MB' 60000000, '70 MB' 70000000)
unset logscale y
set yrange [0:0.06]
set ytics ('0%%' 0, '1%%' 0.01, '2%%' 0.02, '3%%' 0.03, '4%%' 0.04, '5%%' 0.05, '6%%' 0.06)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 30000000, first 0 to first 30000000, first 0.06 to first 33971785, first 0.06 to first 33971785, first 0.0005567080529 to first 70000000, first 0.0005567080529 to first 70000000, first 0 to first 30000000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' left at screen 0.1868945531, screen 0.6855339719
set label '[2]' left at screen 0.2156622385, screen 0.3505470163
set label 'nuke-13 next(12)' left at screen 0.2537558658, screen 0.2508008247
set label 'nuke-13 velocity(500ms)' left at screen 0.7448302533, screen 0.4141912868
set label 'nuke-13 oracle(2s)' left at screen 0.1138945531, screen 0.2501604745
set label '[3]' right at screen 0.2215333065, screen 0.3014327487
set label 'glide' left at screen 0.1868945531, screen 0.7324471281
set label 'glide next(12)' left at screen 0.2379766092, screen 0.6437470362
set label 'one connection' left at screen 0.1973987292, screen 0.7927060325
set label 'one connection next(12)' left at screen 0.2395987519, screen 0.3819362648
set label 'one connection next(12) last' left at screen 0.2906508521, screen 0.2991334203
set label '[1] 3 caches: nuke-13, nuke-13 without cancelling, kingfisher-8' left at screen 0.03, screen 0.07978723404
set label '[2] nuke-13 rows(2)' left at screen 0.03, screen 0.05319148936
set label '[3] kingfisher-8 next(12)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-wifi.svg'
plot 'stress-feed-wifi.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-wifi.png'
replot
set output
# checksum 2ef0cbbd68e0ed56
