# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-wifi.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 next(12), nuke-13 oracle(2s) and kingfisher-8 next(12) tie on stress-flicks, so stay with' at screen 0.5, screen 0.9760638298 center font ',17'
set label 'the one you have. They leave 0.1% to 0.2% of the visible time blank.' at screen 0.5, screen 0.9428191489 center font ',17'
set label 'Blank time against fetched bytes · stress-flicks · network wifi · modelled durations with decoding · one run each' at screen 0.5, screen 0.9109042553 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8776595745
set bmargin at screen 0.2154255319
unset logscale x
set xrange [5400000:6200000]
set xtics ('5.4 MB' 5400000, '5.6 MB' 5600000, '5.8 MB' 5800000, '6 MB' 6000000, '6.2 MB' 6200000)
unset logscale y
set yrange [0:0.1]
set ytics ('0%%' 0, '2%%' 0.02, '4%%' 0.04, '6%%' 0.06, '8%%' 0.08, '10%%' 0.1)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 5400000, first 0 to first 5400000, first 0.1 to first 5662269, first 0.1 to first 5662269, first 0.04014239233 to first 5685426, first 0.04014239233 to first 5685426, first 0.002091056396 to first 5837092, first 0.002091056396 to first 5837092, first 0.001370921506 to first 6200000, first 0.001370921506 to first 6200000, first 0 to first 5400000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '3 caches [1]' left at screen 0.4079049792, screen 0.2819323916
set label '[2]' right at screen 0.3879049792, screen 0.2318991191
set label '[3]' left at screen 0.5501299583, screen 0.2530946664
set arrow from screen 0.5606299583, screen 0.2245042408 to screen 0.5606299583, screen 0.2404616876 nohead linewidth 1 linecolor rgb '#999999'
set label 'nuke-13 without cancelling' left at screen 0.5706299583, screen 0.2796537288
set label 'one connection' left at screen 0.4833889583, screen 0.7880862381
set label 'one connection next(12)' right at screen 0.3630594479, screen 0.5036934143
set label 'one connection next(12) last' left at screen 0.3830594479, screen 0.4812621194
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.07978723404
set label '[2] 5 caches: nuke-13 rows(2), nuke-13 next(12), nuke-13 velocity(500ms), kingfisher-8 next(12), glide next(12)' left at screen 0.03, screen 0.05319148936
set label '[3] nuke-13 oracle(2s)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-wifi.svg'
plot 'stress-flicks-wifi.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-wifi.png'
replot
set output
# checksum bee5e35e948faf81
