# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-lte.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'nuke-13 oracle(2s) leaves the least blank time on stress-feed: 0.3% of the visible time. The next,' at screen 0.5, screen 0.9735294118 center font ',17'
set label 'nuke-13 next(12), is 3.7 points behind: 4.0% against 0.3%.' at screen 0.5, screen 0.9367647059 center font ',17'
set label 'Blank time against fetched bytes · stress-feed · network lte · modelled durations with decoding · one run each' at screen 0.5, screen 0.9014705882 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8647058824
set bmargin at screen 0.1323529412
unset logscale x
set xrange [25000000:40000000]
set xtics ('25 MB' 25000000, '30 MB' 30000000, '35 MB' 35000000, '40 MB' 40000000)
unset logscale y
set yrange [0:0.25]
set ytics ('0%%' 0, '5%%' 0.05, '10%%' 0.1, '15%%' 0.15, '20%%' 0.2, '25%%' 0.25)
set xlabel 'bytes fetched from the origin, not from 0 · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 25000000, first 0 to first 25000000, first 0.25 to first 26479327, first 0.25 to first 26479327, first 0.2199980022 to first 30722622, first 0.2199980022 to first 30722622, first 0.1389702183 to first 30889591, first 0.1389702183 to first 30889591, first 0.1378652298 to first 33971785, first 0.1378652298 to first 33971785, first 0.002662184807 to first 40000000, first 0.002662184807 to first 40000000, first 0 to first 25000000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '2 caches: nuke-13, glide' left at screen 0.3446821517, screen 0.5045993201
set label 'nuke-13 rows(2)' left at screen 0.6715792283, screen 0.3233483163
set label 'nuke-13 next(12)' left at screen 0.7297527128, screen 0.2490567771
set label 'nuke-13 velocity(500ms)' right at screen 0.6528194056, screen 0.2715896961
set label 'nuke-13 oracle(2s)' left at screen 0.5420521417, screen 0.1717692237
set label 'nuke-13 without cancelling' left at screen 0.5140521417, screen 0.4812459199
set label 'kingfisher-8' right at screen 0.4091278144, screen 0.5394539335
set label 'kingfisher-8 next(12)' right at screen 0.8494947583, screen 0.2890838086
set label 'glide next(12)' left at screen 0.7655444689, screen 0.3850636682
set label 'one connection' left at screen 0.186317045, screen 0.776817677
set label 'one connection next(12)' left at screen 0.6269930461, screen 0.5216707642
set label 'one connection next(12) last' right at screen 0.6026820383, screen 0.3193550697
set terminal svg size 1200,680 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,680 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-lte.png'
replot
set output
# checksum a16df1a65654cce6
