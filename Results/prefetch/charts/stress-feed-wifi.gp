# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-wifi.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 oracle(2s) leaves the least blank time on stress-feed: 0.1% of the visible time. The next,' at screen 0.5, screen 0.9747191011 center font ',17'
set label 'nuke-13 next(12), is 0.5 points behind: 0.6% against 0.1%.' at screen 0.5, screen 0.9396067416 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network wifi · modelled durations with decoding · one run each' at screen 0.5, screen 0.9058988764 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8707865169
set bmargin at screen 0.1713483146
unset logscale x
set xrange [32000000:37000000]
set xtics ('32 MB' 32000000, '33 MB' 33000000, '34 MB' 34000000, '35 MB' 35000000, '36 MB' 36000000, '37 MB' 37000000)
unset logscale y
set yrange [0:0.06]
set ytics ('0%%' 0, '1%%' 0.01, '2%%' 0.02, '3%%' 0.03, '4%%' 0.04, '5%%' 0.05, '6%%' 0.06)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 32000000, first 0 to first 32000000, first 0.06 to first 32420072, first 0.06 to first 32420072, first 0.05230300439 to first 33553400, first 0.05230300439 to first 33553400, first 0.04259295745 to first 33971785, first 0.04259295745 to first 33971785, first 0.0005567080529 to first 37000000, first 0.0005567080529 to first 37000000, first 0 to first 32000000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '2 caches [1]' right at screen 0.3483336667, screen 0.6678673411
set label 'nuke-13 rows(2)' left at screen 0.607538635, screen 0.3140608936
set label 'nuke-13 next(12)' left at screen 0.4663671783, screen 0.2087109834
set label 'nuke-13 velocity(500ms)' left at screen 0.773421165, screen 0.3823419517
set label 'nuke-13 oracle(2s)' right at screen 0.420156425, screen 0.2080346585
set label 'nuke-13 without cancelling' left at screen 0.440156425, screen 0.6690227105
set label 'kingfisher-8 next(12)' left at screen 0.5788364833, screen 0.2621873975
set label 'glide' left at screen 0.3683336667, screen 0.7174160679
set label 'glide next(12)' left at screen 0.5659170217, screen 0.6237328248
set label 'one connection' left at screen 0.1737790267, screen 0.781060304
set label 'one connection next(12)' left at screen 0.4789082867, screen 0.3472135831
set label 'one connection next(12) last' right at screen 0.4262408067, screen 0.2597588933
set label '[1] 2 caches: nuke-13, kingfisher-8' left at screen 0.03, screen 0.02808988764
set terminal svg size 1200,712 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,712 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-wifi.png'
replot
set output
# checksum 9525a14a96e1ffad
