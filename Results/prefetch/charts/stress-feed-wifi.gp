# Blank time against fetched bytes · stress-feed
# Draws this chart again: gnuplot stress-feed-wifi.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Blank time against fetched bytes · stress-feed' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.09166666667
set rmargin at screen 0.95
set tmargin at screen 0.9069148936
set bmargin at screen 0.2154255319
unset logscale x
set xrange [0:80000000]
set xtics ('0 B' 0, '20 MB' 20000000, '40 MB' 40000000, '60 MB' 60000000, '80 MB' 80000000)
unset logscale y
set yrange [0:0.1]
set ytics ('0%%' 0, '2%%' 0.02, '4%%' 0.04, '6%%' 0.06, '8%%' 0.08, '10%%' 0.1)
set xlabel 'bytes fetched from the origin'
set ylabel 'blank time, as a share of visible time' offset -1.5
unset key
set label '3 caches [1]' right at screen 0.4461556099, screen 0.5099513015
set label 'nuke-13 rows(2)' right at screen 0.4605394526, screen 0.3000799559
set label '[2]' left at screen 0.5179195996, screen 0.3426015036
set arrow from screen 0.4895862663, screen 0.2555004398 to screen 0.5179195996, screen 0.3299685249 nohead linewidth 1 linecolor rgb '#999999'
set label 'nuke-13 velocity(500ms)' left at screen 0.74512346, screen 0.3399534747
set label 'nuke-13 oracle(2s)' right at screen 0.4461556099, screen 0.2478655344
set label '[3]' right at screen 0.4734749866, screen 0.2693095713
set label 'glide' left at screen 0.4661556099, screen 0.5393426765
set label 'glide next(12)' left at screen 0.4916966379, screen 0.4837715346
set label 'one connection' left at screen 0.4714076979, screen 0.5770952432
set label 'one connection next(12)' right at screen 0.4725077093, screen 0.3483359347
set label 'one connection next(12) last' left at screen 0.5180337594, screen 0.2678690282
set label '[1] 3 caches: nuke-13, nuke-13 without cancelling, kingfisher-8' left at screen 0.03, screen 0.07978723404
set label '[2] nuke-13 next(12)' left at screen 0.03, screen 0.05319148936
set label '[3] kingfisher-8 next(12)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-feed-wifi.svg'
plot 'stress-feed-wifi.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-feed-wifi.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-feed-wifi.png'
replot
set output
# checksum fa58e95394ea97f7
