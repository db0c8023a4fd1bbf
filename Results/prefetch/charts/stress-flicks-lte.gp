# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-lte.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'kingfisher-8 next(12) leaves the least blank time on stress-flicks: 1.3% of the visible time. The' at screen 0.5, screen 0.9766839378 center font ',17'
set label 'next, nuke-13 oracle(2s), is 0.8 points behind: 2.2% against 1.3%.' at screen 0.5, screen 0.9443005181 center font ',17'
set label 'Blank time against fetched bytes · stress-flicks · network lte · modelled durations with decoding · one run each' at screen 0.5, screen 0.9132124352 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8808290155
set bmargin at screen 0.2357512953
unset logscale x
set xrange [3500000:6000000]
set xtics ('3.5 MB' 3500000, '4 MB' 4000000, '4.5 MB' 4500000, '5 MB' 5000000, '5.5 MB' 5500000, '6 MB' 6000000)
unset logscale y
set yrange [0:0.6]
set ytics ('0%%' 0, '10%%' 0.1, '20%%' 0.2, '30%%' 0.3, '40%%' 0.4, '50%%' 0.5, '60%%' 0.6)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 3500000, first 0 to first 3500000, first 0.6 to first 4029368, first 0.6 to first 4029368, first 0.5256237643 to first 5153958, first 0.5256237643 to first 5153958, first 0.1886149487 to first 5482452, first 0.1886149487 to first 5482452, first 0.01314609103 to first 6000000, first 0.01314609103 to first 6000000, first 0 to first 3500000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '5 caches [1]' left at screen 0.7328035233, screen 0.3100346951
set label '[2]' right at screen 0.8840682533, screen 0.2588736584
set label '[3]' left at screen 0.9040682533, screen 0.279089328
set label '[4]' left at screen 0.78230852, screen 0.2498850461
set label 'glide' left at screen 0.8557519833, screen 0.3229684234
set label 'one connection' left at screen 0.2834163467, screen 0.8008649279
set label 'one connection next(12)' left at screen 0.7568016, screen 0.4839874576
set label 'one connection next(12) last' left at screen 0.66952558, screen 0.4385367972
set label '[1] 5 caches: nuke-13, nuke-13 rows(2), nuke-13 next(12), nuke-13 velocity(500ms), kingfisher-8' left at screen 0.03, screen 0.103626943
set label '[2] nuke-13 oracle(2s)' left at screen 0.03, screen 0.07772020725
set label '[3] nuke-13 without cancelling' left at screen 0.03, screen 0.0518134715
set label '[4] 2 caches: kingfisher-8 next(12), glide next(12)' left at screen 0.03, screen 0.02590673575
set terminal svg size 1200,772 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,772 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-lte.png'
replot
set output
# checksum 1114d50c64189c92
