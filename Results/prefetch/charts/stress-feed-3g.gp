# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-3g.gp
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
set logscale x
set xrange [1999998:200000200]
set xtics ('2 MB' 2000000, '5 MB' 5000000, '10 MB' 10000000, '20 MB' 20000000, '50 MB' 50000000, '100 MB' 100000000, '200 MB' 200000000, '' 3000000 1, '' 4000000 1, '' 6000000 1, '' 7000000 1, '' 8000000 1, '' 9000000 1, '' 30000000 1, '' 40000000 1, '' 60000000 1, '' 70000000 1, '' 80000000 1, '' 90000000 1)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'bytes fetched from the origin (logarithmic)'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set label '3 caches [1]' left at screen 0.6821029929, screen 0.7356249206
set label 'nuke-13 rows(2)' left at screen 0.5660222339, screen 0.7021152734
set label 'nuke-13 next(12)' left at screen 0.6570507512, screen 0.626757521
set label '3 caches [2]' left at screen 0.7915313426, screen 0.6811361411
set label 'nuke-13 oracle(2s)' right at screen 0.5539433261, screen 0.670195641
set label 'nuke-13 without cancelling' right at screen 0.5532160371, screen 0.8615370877
set label 'one connection' left at screen 0.743570052, screen 0.8492909163
set label 'one connection next(12)' right at screen 0.5423154382, screen 0.7453032013
set label 'one connection next(12) last' right at screen 0.5050888902, screen 0.7025436839
set label '[1] 3 caches: nuke-13, kingfisher-8, glide' left at screen 0.03, screen 0.05464480874
set label '[2] 3 caches: nuke-13 velocity(500ms), kingfisher-8 next(12), glide next(12)' left at screen 0.03, screen 0.02732240437
set terminal svg size 1200,732 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-3g.svg'
plot 'stress-feed-3g.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-3g.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-3g.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-3g.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-3g.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-3g.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-3g.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-3g.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-3g.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-3g.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,732 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-3g.png'
replot
set output
# checksum d8947ff5be517573
