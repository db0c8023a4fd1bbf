# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-lte.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 oracle(2s) leaves the least blank time on stress-feed: 0.3% of the visible time. The next,' at screen 0.5, screen 0.9747191011 center font ',17'
set label 'nuke-13 next(12), is 3.7 points behind: 4.0% against 0.3%.' at screen 0.5, screen 0.9396067416 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network lte · modelled durations with decoding · one run each' at screen 0.5, screen 0.9058988764 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8707865169
set bmargin at screen 0.1713483146
unset logscale x
set xrange [30000000:80000000]
set xtics ('30 MB' 30000000, '40 MB' 40000000, '50 MB' 50000000, '60 MB' 60000000, '70 MB' 70000000, '80 MB' 80000000)
unset logscale y
set yrange [0:0.25]
set ytics ('0%%' 0, '5%%' 0.05, '10%%' 0.1, '15%%' 0.15, '20%%' 0.2, '25%%' 0.25)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 30000000, first 0 to first 30000000, first 0.25 to first 33971785, first 0.25 to first 33971785, first 0.002662184807 to first 80000000, first 0.002662184807 to first 80000000, first 0 to first 30000000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' left at screen 0.2416934157, screen 0.5570611484
set label 'nuke-13 rows(2)' right at screen 0.2191468093, screen 0.353759628
set label 'nuke-13 next(12)' left at screen 0.3903477537, screen 0.2828070343
set label 'nuke-13 velocity(500ms)' right at screen 0.856277068, screen 0.3043272379
set label 'nuke-13 oracle(2s)' left at screen 0.09684897583, screen 0.2089930788
set label 'nuke-13 without cancelling' left at screen 0.1698489758, screen 0.50456071
set label 'kingfisher-8 next(12)' left at screen 0.4799682597, screen 0.3210350981
set label 'glide next(12)' left at screen 0.3949034093, screen 0.4127012562
set label 'one connection' left at screen 0.309327061, screen 0.7868483432
set label 'one connection next(12)' left at screen 0.3933978927, screen 0.5431687074
set label 'one connection next(12) last' left at screen 0.1742784027, screen 0.3197492238
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.02808988764
set terminal svg size 1200,712 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-lte.svg'
plot 'stress-feed-lte.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-lte.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-lte.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-lte.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-lte.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-lte.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-lte.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-lte.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-lte.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-lte.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-lte.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-lte.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-lte.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,712 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-lte.png'
replot
set output
# checksum 2d0418d22020f669
