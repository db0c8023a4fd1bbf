# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-3g.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 next(12) leaves the least blank time on stress-feed: 65.1% of the visible time. The next,' at screen 0.5, screen 0.9760638298 center font ',17'
set label 'glide next(12), is 1.9 points behind: 66.9% against 65.1%.' at screen 0.5, screen 0.9428191489 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network 3g · modelled durations with decoding · one run each' at screen 0.5, screen 0.9109042553 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8776595745
set bmargin at screen 0.2154255319
unset logscale x
set xrange [0:30000000]
set xtics ('0 B' 0, '5 MB' 5000000, '10 MB' 10000000, '15 MB' 15000000, '20 MB' 20000000, '25 MB' 25000000, '30 MB' 30000000)
unset logscale y
set yrange [0.6:1]
set ytics ('60%%' 0.6, '70%%' 0.7, '80%%' 0.8, '90%%' 0.9, '100%%' 1)
set xlabel 'bytes fetched from the origin · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time, not from 0' offset -1.5
unset key
set object polygon from first 0, first 0.6 to first 0, first 1 to first 4341364, first 1 to first 4341364, first 0.9224633668 to first 12340668, first 0.9224633668 to first 12340668, first 0.7198874905 to first 13771028, first 0.7198874905 to first 13771028, first 0.7158884165 to first 20799972, first 0.7158884165 to first 20799972, first 0.6693508774 to first 22444527, first 0.6693508774 to first 22444527, first 0.6505509719 to first 30000000, first 0.6505509719 to first 30000000, first 0.6 to first 0, first 0.6 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' right at screen 0.4357951725, screen 0.4159342142
set label '2 caches [2]' left at screen 0.7479064419, screen 0.3664285833
set label 'nuke-13 next(12)' left at screen 0.7438295225, screen 0.2991169681
set label 'nuke-13 velocity(500ms)' right at screen 0.6819092378, screen 0.3573972248
set label 'nuke-13 without cancelling' right at screen 0.7857879708, screen 0.7778314482
set label '[3]' left at screen 0.7565640133, screen 0.3338510423
set label 'glide next(12)' right at screen 0.6767769767, screen 0.3302418116
set label 'one connection' left at screen 0.2258779144, screen 0.7492910794
set label 'one connection next(12)' left at screen 0.4968655069, screen 0.5069420507
set label 'one connection next(12) last' left at screen 0.4956710789, screen 0.4072886683
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.07978723404
set label '[2] 2 caches: nuke-13 rows(2), nuke-13 oracle(2s)' left at screen 0.03, screen 0.05319148936
set label '[3] kingfisher-8 next(12)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-3g.svg'
plot 'stress-feed-3g.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-3g.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-3g.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-3g.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-3g.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-3g.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-3g.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-3g.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-3g.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-3g.png'
replot
set output
# checksum 28f09fd35e058dd9
