# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-3g.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'kingfisher-8 next(12) leaves the least blank time on stress-flicks: 23.2% of the visible time. The' at screen 0.5, screen 0.9754098361 center font ',17'
set label 'next, nuke-13 velocity(500ms), is 4.0 points behind: 27.2% against 23.2%.' at screen 0.5, screen 0.9412568306 center font ',17'
set label 'Blank time against fetched bytes · stress-flicks · network 3g · modelled durations with decoding · one run each' at screen 0.5, screen 0.9084699454 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8743169399
set bmargin at screen 0.193989071
unset logscale x
set xrange [0:8000000]
set xtics ('0 B' 0, '2 MB' 2000000, '4 MB' 4000000, '6 MB' 6000000, '8 MB' 8000000)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'bytes fetched from the origin · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 0, first 0 to first 0, first 1 to first 627251, first 1 to first 627251, first 0.9567135943 to first 1734480, first 0.9567135943 to first 1734480, first 0.8766174135 to first 2448113, first 0.8766174135 to first 2448113, first 0.8434093959 to first 3051077, first 0.8434093959 to first 3051077, first 0.677237907 to first 4656261, first 0.677237907 to first 4656261, first 0.2719851632 to first 4999751, first 0.2719851632 to first 4999751, first 0.2320901566 to first 8000000, first 0.2320901566 to first 8000000, first 0 to first 0, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '2 caches [1]' left at screen 0.3677272542, screen 0.7689194118
set label 'nuke-13 rows(2)' left at screen 0.5858177083, screen 0.4143769844
set label '[2]' left at screen 0.6380982844, screen 0.3519111724
set arrow from screen 0.6280982844, screen 0.3812827571 to screen 0.6380982844, screen 0.3648893145 nohead linewidth 1 linecolor rgb '#999999'
set label 'nuke-13 velocity(500ms)' right at screen 0.5812446698, screen 0.3790281575
set label 'nuke-13 oracle(2s)' left at screen 0.7279379958, screen 0.4017766072
set label 'nuke-13 without cancelling' left at screen 0.7279379958, screen 0.4522798834
set label 'kingfisher-8 next(12)' left at screen 0.5545982844, screen 0.322514888
set label 'glide' left at screen 0.2877619167, screen 0.7903763278
set label 'glide next(12)' right at screen 0.636821324, screen 0.4715579577
set label 'one connection' left at screen 0.1689654719, screen 0.8448679917
set label 'one connection next(12)' left at screen 0.4262234219, screen 0.8442768824
set label 'one connection next(12) last' left at screen 0.4290218031, screen 0.654732893
set label '[1] 2 caches: nuke-13, kingfisher-8' left at screen 0.03, screen 0.05464480874
set label '[2] nuke-13 next(12)' left at screen 0.03, screen 0.02732240437
set terminal svg size 1200,732 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,732 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-3g.png'
replot
set output
# checksum d8a6e3036a5c73f1
