# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-3g.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'kingfisher-8 next(12) leaves the least blank time on stress-flicks: 23.2% of the visible time. The' at screen 0.5, screen 0.9760638298 center font ',17'
set label 'next, nuke-13 velocity(500ms), is 4.0 points behind: 27.2% against 23.2%.' at screen 0.5, screen 0.9428191489 center font ',17'
set label 'Blank time against fetched bytes · stress-flicks · network 3g · modelled durations with decoding · one run each' at screen 0.5, screen 0.9109042553 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8776595745
set bmargin at screen 0.2154255319
unset logscale x
set xrange [0:40000000]
set xtics ('0 B' 0, '10 MB' 10000000, '20 MB' 20000000, '30 MB' 30000000, '40 MB' 40000000)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'bytes fetched from the origin · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 0, first 0 to first 0, first 1 to first 3773535, first 1 to first 3773535, first 0.9558447348 to first 3800670, first 0.9558447348 to first 3800670, first 0.677237907 to first 5586032, first 0.677237907 to first 5586032, first 0.2719851632 to first 5626259, first 0.2719851632 to first 5626259, first 0.2320901566 to first 40000000, first 0.2320901566 to first 40000000, first 0 to first 0, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '2 caches [1]' right at screen 0.7342654181, screen 0.7750651722
set label '3 caches [2]' right at screen 0.2044406925, screen 0.4013616391
set label 'nuke-13 oracle(2s)' left at screen 0.2269209325, screen 0.4176868038
set label '[3]' right at screen 0.2069209325, screen 0.4382564823
set label 'kingfisher-8 next(12)' left at screen 0.2223968077, screen 0.3691235346
set label 'glide' left at screen 0.759107534, screen 0.7959514254
set label 'glide next(12)' left at screen 0.2269209325, screen 0.4856122673
set label 'one connection' left at screen 0.7494600175, screen 0.848993843
set label 'one connection next(12)' left at screen 0.1826404385, screen 0.8484184547
set label 'one connection next(12) last' left at screen 0.1832227104, screen 0.6639155289
set label '[1] 2 caches: nuke-13, kingfisher-8' left at screen 0.03, screen 0.07978723404
set label '[2] 3 caches: nuke-13 rows(2), nuke-13 next(12), nuke-13 velocity(500ms)' left at screen 0.03, screen 0.05319148936
set label '[3] nuke-13 without cancelling' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-3g.svg'
plot 'stress-flicks-3g.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-3g.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-3g.png'
replot
set output
# checksum 73d13efbb196f7db
