# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-lte.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Blank time against fetched bytes · stress-feed' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.9043715847
set bmargin at screen 0.193989071
unset logscale x
set xrange [0:80000000]
set xtics ('0 B' 0, '20 MB' 20000000, '40 MB' 40000000, '60 MB' 60000000, '80 MB' 80000000)
unset logscale y
set yrange [0:0.6]
set ytics ('0%%' 0, '10%%' 0.1, '20%%' 0.2, '30%%' 0.3, '40%%' 0.4, '50%%' 0.5, '60%%' 0.6)
set xlabel 'bytes fetched from the origin'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set label '3 caches [1]' right at screen 0.4910583848, screen 0.3865890698
set label 'nuke-13 rows(2)' right at screen 0.4894667558, screen 0.2711830526
set label 'nuke-13 next(12)' left at screen 0.537967346, screen 0.2117852974
set label 'nuke-13 velocity(500ms)' left at screen 0.8171731675, screen 0.2796355236
set label 'nuke-13 oracle(2s)' left at screen 0.3931556099, screen 0.226512605
set label 'nuke-13 without cancelling' right at screen 0.4461556099, screen 0.3477788171
set label 'kingfisher-8 next(12)' left at screen 0.6599801623, screen 0.2573344776
set label 'glide next(12)' left at screen 0.6068146308, screen 0.2961263463
set label 'one connection' left at screen 0.5533294131, screen 0.454460294
set label 'one connection next(12)' left at screen 0.6058736829, screen 0.3513383934
set label '[2]' left at screen 0.5364240017, screen 0.2695691151
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.05464480874
set label '[2] one connection next(12) last' left at screen 0.03, screen 0.02732240437
set terminal svg size 1200,732 dynamic noenhanced font 'sans-serif,14' background 'white'
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
set terminal pngcairo size 1200,732 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-lte.png'
replot
set output
# checksum 2e67589c167ad45f
