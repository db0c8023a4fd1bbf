# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-3g.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 next(12) leaves the least blank time on stress-feed: 65.1% of the visible time. The next,' at screen 0.5, screen 0.9754098361 center font ',17'
set label 'glide next(12), is 1.9 points behind: 66.9% against 65.1%.' at screen 0.5, screen 0.9412568306 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network 3g · modelled durations with decoding · one run each' at screen 0.5, screen 0.9084699454 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8743169399
set bmargin at screen 0.193989071
unset logscale x
set xrange [0:100000000]
set xtics ('0 B' 0, '20 MB' 20000000, '40 MB' 40000000, '60 MB' 60000000, '80 MB' 80000000, '100 MB' 100000000)
unset logscale y
set yrange [0.6:1]
set ytics ('60%%' 0.6, '70%%' 0.7, '80%%' 0.8, '90%%' 0.9, '100%%' 1)
set xlabel 'bytes fetched from the origin · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time, not from 0' offset -1.5
unset key
set object polygon from first 0, first 0.6 to first 0, first 1 to first 19392995, first 1 to first 19392995, first 0.7158884165 to first 25204638, first 0.7158884165 to first 25204638, first 0.6703523255 to first 56093849, first 0.6703523255 to first 56093849, first 0.6505509719 to first 100000000, first 0.6505509719 to first 100000000, first 0.6 to first 0, first 0.6 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' left at screen 0.6125526836, screen 0.3999761326
set label 'nuke-13 rows(2)' left at screen 0.3916083106, screen 0.3197463042
set label 'nuke-13 next(12)' left at screen 0.5831388706, screen 0.2799671584
set label 'nuke-13 velocity(500ms)' left at screen 0.7969113021, screen 0.339839772
set label 'nuke-13 oracle(2s)' right at screen 0.2980064762, screen 0.3136456902
set label 'nuke-13 without cancelling' left at screen 0.3171639447, screen 0.7717612692
set label '2 caches [2]' right at screen 0.771045495, screen 0.3156502511
set label 'one connection' left at screen 0.6391725014, screen 0.7424411088
set label 'one connection next(12)' left at screen 0.3049221802, screen 0.493470522
set label 'one connection next(12) last' left at screen 0.2681232071, screen 0.3910943696
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.05464480874
set label '[2] 2 caches: kingfisher-8 next(12), glide next(12)' left at screen 0.03, screen 0.02732240437
set terminal svg size 1200,732 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,732 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-3g.png'
replot
set output
# checksum 862e500236ad4e4a
