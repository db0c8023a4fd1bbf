# Blank time against fetched bytes · stress-flicks
# Draws this chart again: gnuplot stress-flicks-wifi.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'Blank time against fetched bytes · stress-flicks' at screen 0.5, graph 1 center offset 0, character 1.5 font ',17'
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
set label '[1]' left at screen 0.1642937996, screen 0.2848704456
set arrow from screen 0.1542937996, screen 0.2848704456 to screen 0.1642937996, screen 0.2848704456 nohead linewidth 1 linecolor rgb '#999999'
set label '6 caches [2]' left at screen 0.1646264789, screen 0.2326268679
set label 'glide' left at screen 0.1367937996, screen 0.3257096037
set label 'one connection' left at screen 0.181295559, screen 0.8133845022
set label 'one connection next(12)' left at screen 0.1642937996, screen 0.5450185655
set label 'one connection next(12) last' left at screen 0.1642937996, screen 0.4930059044
set label '[1] 3 caches: nuke-13, nuke-13 without cancelling, kingfisher-8' left at screen 0.03, screen 0.07978723404
set label '[2] 6 caches: nuke-13 rows(2), nuke-13 next(12), nuke-13 velocity(500ms), nuke-13 oracle(2s), kingfisher-8 next(12),' left at screen 0.03, screen 0.05319148936
set label '      glide next(12)' left at screen 0.03, screen 0.02659574468
set terminal svg size 1200,752 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-wifi.svg'
plot 'stress-flicks-wifi.csv' skip 1 using ($1 == 1 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 2 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 3 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 4 ? $2 : NaN):3 with points pointtype 11 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 5 ? $2 : NaN):3 with points pointtype 13 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 6 ? $2 : NaN):3 with points pointtype 15 linewidth 2 linecolor rgb '#56B4E9', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 7 ? $2 : NaN):3 with points pointtype 6 linewidth 2 linecolor rgb '#000000', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 8 ? $2 : NaN):3 with points pointtype 4 linewidth 2 linecolor rgb '#0072B2', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 9 ? $2 : NaN):3 with points pointtype 8 linewidth 2 linecolor rgb '#D55E00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 10 ? $2 : NaN):3 with points pointtype 10 linewidth 2 linecolor rgb '#009E73', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 11 ? $2 : NaN):3 with points pointtype 7 linewidth 2 linecolor rgb '#CC79A7', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 12 ? $2 : NaN):3 with points pointtype 5 linewidth 2 linecolor rgb '#E69F00', \
     'stress-flicks-wifi.csv' skip 1 using ($1 == 13 ? $2 : NaN):3 with points pointtype 9 linewidth 2 linecolor rgb '#56B4E9'
set terminal pngcairo size 1200,752 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-wifi.png'
replot
set output
# checksum b6cc855c834444da
