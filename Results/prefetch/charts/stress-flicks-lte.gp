# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-lte.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'kingfisher-8 next(12) leaves the least blank time on stress-flicks: 1.3% of the visible time. The' at screen 0.5, screen 0.9760638298 center font ',17'
set label 'next, nuke-13 oracle(2s), is 0.8 points behind: 2.2% against 1.3%.' at screen 0.5, screen 0.9428191489 center font ',17'
set label 'Blank time against fetched bytes · stress-flicks · network lte · modelled durations with decoding · one run each' at screen 0.5, screen 0.9109042553 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8776595745
set bmargin at screen 0.2154255319
unset logscale x
set xrange [0:25000000]
set xtics ('0 B' 0, '5 MB' 5000000, '10 MB' 10000000, '15 MB' 15000000, '20 MB' 20000000, '25 MB' 25000000)
unset logscale y
set yrange [0:0.6]
set ytics ('0%%' 0, '10%%' 0.1, '20%%' 0.2, '30%%' 0.3, '40%%' 0.4, '50%%' 0.5, '60%%' 0.6)
set xlabel 'bytes fetched from the origin · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 0, first 0 to first 0, first 0.6 to first 5582890, first 0.6 to first 5582890, first 0.1886149487 to first 5837092, first 0.1886149487 to first 5837092, first 0.02150658349 to first 5998120, first 0.02150658349 to first 5998120, first 0.01314609103 to first 25000000, first 0.01314609103 to first 25000000, first 0 to first 0, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '5 caches [1]' right at screen 0.2860682783, screen 0.291684554
set label 'nuke-13 velocity(500ms)' left at screen 0.3121221033, screen 0.2537943349
set label '2 caches [2]' right at screen 0.282073492, screen 0.2391628515
set label '[3]' left at screen 0.3442687867, screen 0.3755468824
set arrow from screen 0.29760212, screen 0.2299351803 to screen 0.3442687867, screen 0.3629139037 nohead linewidth 1 linecolor rgb '#999999'
set label 'glide' left at screen 0.337788124, screen 0.3049622644
set label 'one connection' right at screen 0.8861838733, screen 0.7955657612
set label 'one connection next(12)' left at screen 0.302073492, screen 0.4702637198
set label 'one connection next(12) last' left at screen 0.29334589, screen 0.4236042652
set label '[1] 5 caches: nuke-13, nuke-13 rows(2), nuke-13 next(12), nuke-13 without cancelling, kingfisher-8' left at screen 0.03, screen 0.07978723404
set label '[2] 2 caches: nuke-13 oracle(2s), glide next(12)' left at screen 0.03, screen 0.05319148936
set label '[3] kingfisher-8 next(12)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-lte.svg'
plot 'stress-flicks-lte.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-lte.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-lte.png'
replot
set output
# checksum bd3de3c30adc0cd1
