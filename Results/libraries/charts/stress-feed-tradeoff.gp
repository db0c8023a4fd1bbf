# Blank time against peak memory · stress-feed
# Draws this chart again: gnuplot stress-feed-tradeoff.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Blank time against peak memory · stress-feed' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.9093264249
set bmargin at screen 0.2357512953
set logscale x
set xrange [19999980:2000002000]
set xtics ('20 MB' 20000000, '50 MB' 50000000, '100 MB' 100000000, '200 MB' 200000000, '500 MB' 500000000, '1 GB' 1000000000, '2 GB' 2000000000, '' 30000000 1, '' 40000000 1, '' 60000000 1, '' 70000000 1, '' 80000000 1, '' 90000000 1, '' 300000000 1, '' 400000000 1, '' 600000000 1, '' 700000000 1, '' 800000000 1, '' 900000000 1)
unset logscale y
set yrange [0:1]
set ytics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'peak of the memory tier (logarithmic)'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set label '4 caches [1]' left at screen 0.7629999806, screen 0.3258866014
set label 'nuke-12' right at screen 0.6948712709, screen 0.2982230675
set label 'nuke-13' right at screen 0.7704376851, screen 0.2981804521
set label 'alamofireimage-4' left at screen 0.4012166283, screen 0.2991610284
set label '4 caches [2]' left at screen 0.8224935794, screen 0.2963785259
set label 'glide' right at screen 0.2162340055, screen 0.3008820423
set label 'coil-3' left at screen 0.2546322102, screen 0.3276305997
set label 'fresco' left at screen 0.3384803393, screen 0.2996167897
set label 'two-tier-as-written' left at screen 0.6864144187, screen 0.5826986757
set label '3 caches [3]' left at screen 0.3702309726, screen 0.3301627417
set label '3 caches [4]' left at screen 0.3637792919, screen 0.5631201791
set label '[1] 4 caches: kingfisher-8, sdwebimage-5, yywebimage, pinremoteimage' left at screen 0.03, screen 0.103626943
set label '[2] 4 caches: hyperoslo-7, ttl-two-tier-as-written, coalescing-as-written, nscache-100mb-as-written' left at screen 0.03, screen 0.07772020725
set label '[3] 3 caches: split-md5-as-written, split-md5-as-written [fifo], split-md5-as-written [frequency]' left at screen 0.03, screen 0.0518134715
set label '[4] 3 caches: split-md5-gated, split-md5-gated [fifo], split-md5-gated [frequency]' left at screen 0.03, screen 0.02590673575
set terminal svg size 1200,772 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-tradeoff.svg'
plot 'stress-feed-tradeoff.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 14 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 15 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 16 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 17 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 18 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 19 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 20 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-tradeoff.csv' skip 1 using ($1 == 21 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#000000'
set terminal pngcairo size 1200,772 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-tradeoff.png'
replot
set output
# checksum c275d48baa954899
