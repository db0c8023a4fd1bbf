# Blank time against peak memory · stress-feed
# Draws this chart again: gnuplot stress-feed-tradeoff.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Each holds up to 956 MB in memory. With less, hyperoslo-7 comes closest: it holds up to 919 MB in' at screen 0.5, screen 0.9766839378 center font ',17'
set label 'memory, and is 0.2 points behind.' at screen 0.5, screen 0.9443005181 center font ',17'
set label 'Blank time against peak memory · stress-feed · one shared link · modelled durations with decoding · one run each' at screen 0.5, screen 0.9132124352 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.8808290155
set bmargin at screen 0.2357512953
set logscale x
set xrange [19999980:2000002000]
set xtics ('20 MB' 20000000, '50 MB' 50000000, '100 MB' 100000000, '200 MB' 200000000, '500 MB' 500000000, '1 GB' 1000000000, '2 GB' 2000000000, '' 30000000 1, '' 40000000 1, '' 60000000 1, '' 70000000 1, '' 80000000 1, '' 90000000 1, '' 300000000 1, '' 400000000 1, '' 600000000 1, '' 700000000 1, '' 800000000 1, '' 900000000 1)
unset logscale y
set yrange [0:0.6]
set ytics ('0%%' 0, '10%%' 0.1, '20%%' 0.2, '30%%' 0.3, '40%%' 0.4, '50%%' 0.5, '60%%' 0.6)
set xlabel 'peak of the memory tier (logarithmic) · axes fit this chart, not the others'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set object polygon from first 20000000, first 0 to first 20000000, first 0.6 to first 41170388, first 0.6 to first 41170388, first 0.09669410899 to first 53664560, first 0.09669410899 to first 53664560, first 0.09505927495 to first 71257215, first 0.09505927495 to first 71257215, first 0.09481569549 to first 99772416, first 0.09481569549 to first 99772416, first 0.09413906526 to first 536854080, first 0.09413906526 to first 536854080, first 0.09274655402 to first 805254832, first 0.09274655402 to first 805254832, first 0.09268328664 to first 918683408, first 0.09268328664 to first 918683408, first 0.09184338758 to first 956371632, first 0.09184338758 to first 956371632, first 0.09000470163 to first 2000000000, first 0.09000470163 to first 2000000000, first 0 to first 20000000, first 0 behind fillcolor rgb '#eeeeee' fillstyle solid 1 noborder
set label '5 caches [1]' left at screen 0.7629999806, screen 0.3630183806
set label 'nuke-12' right at screen 0.6948712709, screen 0.3354658547
set label 'nuke-13' right at screen 0.7704376851, screen 0.3353978341
set label 'alamofireimage-4' left at screen 0.4012166283, screen 0.3369629847
set label 'glide' right at screen 0.2162340055, screen 0.3397099877
set label 'coil-3' left at screen 0.2546322102, screen 0.3658020702
set label 'fresco' left at screen 0.3384803393, screen 0.3376904498
set label 'two-tier-as-written' left at screen 0.6864144187, screen 0.7895326909
set label '3 caches [2]' left at screen 0.8224935794, screen 0.3325216826
set label '3 caches [3]' left at screen 0.3702309726, screen 0.3864464885
set label '3 caches [4]' left at screen 0.3637792919, screen 0.7582823983
set label '[1] 5 caches: kingfisher-8, sdwebimage-5, yywebimage, pinremoteimage, hyperoslo-7' left at screen 0.03, screen 0.103626943
set label '[2] 3 caches: ttl-two-tier-as-written, coalescing-as-written, nscache-100mb-as-written' left at screen 0.03, screen 0.07772020725
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
# checksum 4438ee873abe126a
