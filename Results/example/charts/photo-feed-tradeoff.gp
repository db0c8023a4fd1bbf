# Hit ratio against peak memory · photo-feed
# Draws this chart again: gnuplot photo-feed-tradeoff.gp
set encoding utf8
set datafile separator comma
set title 'Hit ratio against peak memory · photo-feed' font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8970588235
set bmargin at screen 0.1323529412
unset logscale x
set xrange [0:40000000]
set xtics ('0 B' 0, '10 MB' 10000000, '20 MB' 20000000, '30 MB' 30000000, '40 MB' 40000000)
unset logscale y
set yrange [0:0.8]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8)
set xlabel 'peak of the memory tier'
set ylabel 'hit ratio: point memory, bar memory and disk' offset -1.5
unset key
set label 'lru' left at screen 0.6730035467, screen 0.4959674652
set label 'fifo' right at screen 0.6529888692, screen 0.502659757
set label 'nscache-believed' left at screen 0.6070035467, screen 0.4643498181
set label 'nscache-on-linux' left at screen 0.6729996842, screen 0.2606218684
set label 'expiry-in-both' left at screen 0.6730035467, screen 0.5242389663
set label 'split-by-variant' left at screen 0.8207374767, screen 0.4903905553
set label 'memory-only' right at screen 0.6530079242, screen 0.536508168
set label 'disk-only' left at screen 0.1016666667, screen 0.1639705882
set terminal svg size 1200,680 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'photo-feed-tradeoff.svg'
plot 'photo-feed-tradeoff.csv' skip 1 using 2:3:3:4 with yerrorbars pointtype 0 linecolor rgb '#bbbbbb', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'photo-feed-tradeoff.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2'
set terminal pngcairo size 1200,680 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'photo-feed-tradeoff.png'
replot
set output
