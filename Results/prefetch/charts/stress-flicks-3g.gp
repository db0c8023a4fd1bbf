# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-3g.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Blank time against fetched bytes · stress-flicks' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.9043715847
set bmargin at screen 0.193989071
set logscale x
set xrange [1999998:200000200]
set xtics ('2 MB' 2000000, '5 MB' 5000000, '10 MB' 10000000, '20 MB' 20000000, '50 MB' 50000000, '100 MB' 100000000, '200 MB' 200000000, '' 3000000 1, '' 4000000 1, '' 6000000 1, '' 7000000 1, '' 8000000 1, '' 9000000 1, '' 30000000 1, '' 40000000 1, '' 60000000 1, '' 70000000 1, '' 80000000 1, '' 90000000 1)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'bytes fetched from the origin (logarithmic)'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set label '2 caches [1]' left at screen 0.6089503597, screen 0.794317941
set label '3 caches [2]' right at screen 0.2775728872, screen 0.3934438721
set label 'nuke-13 oracle(2s)' left at screen 0.3013006413, screen 0.4109559762
set label 'nuke-13 without cancelling' right at screen 0.2813006413, screen 0.4330211963
set label 'kingfisher-8 next(12)' left at screen 0.2944439236, screen 0.3588618599
set label 'glide' right at screen 0.5903281814, screen 0.8167227528
set label 'glide next(12)' left at screen 0.3013006413, screen 0.483820037
set label 'one connection' left at screen 0.6075728409, screen 0.873621679
set label 'one connection next(12)' left at screen 0.2199958077, screen 0.8730044564
set label 'one connection next(12) last' left at screen 0.2213312801, screen 0.6750870378
set label '[1] 2 caches: nuke-13, kingfisher-8' left at screen 0.03, screen 0.05464480874
set label '[2] 3 caches: nuke-13 rows(2), nuke-13 next(12), nuke-13 velocity(500ms)' left at screen 0.03, screen 0.02732240437
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
# checksum 55a682c62fa4d1f
