# What became of the requests · stress-flicks
# Draws this chart again: gnuplot stress-flicks-outcomes.gp
set encoding utf8
set datafile separator comma
set title ' ' font ',17'
set label 'ttl-two-tier-as-written, coalescing-as-written and nscache-100mb-as-written tie on stress-flicks,' at screen 0.5, screen 0.981595092 center font ',17'
set label 'so stay with the one you have. They leave 12.0% of the visible time blank.' at screen 0.5, screen 0.9560327198 center font ',17'
set label 'What became of the requests · stress-flicks · one shared link · modelled durations with decoding · one run each' at screen 0.5, screen 0.9314928425 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set lmargin at screen 0.2601666667
set tmargin at screen 0.9059304703
set bmargin at screen 0.1073619632
set yrange [11.6:0.4]
unset ytics
set key at screen 0.5, screen 0.03067484663 center center vertical maxrows 1 Left reverse samplen 2
set label '3 caches: ttl-two-tier-as-written,'."\n".'coalescing-as-written,'."\n".'nscache-100mb-as-written' right at graph 0, first 1 offset character -1, character 1
set label '7 caches: kingfisher-8, nuke-12,'."\n".'nuke-13, sdwebimage-5, yywebimage,'."\n".'pinremoteimage, hyperoslo-7' right at graph 0, first 2 offset character -1, character 1
set label 'coil-3' right at graph 0, first 3 offset character -1, character 0
set label 'alamofireimage-4' right at graph 0, first 4 offset character -1, character 0
set label 'glide' right at graph 0, first 5 offset character -1, character 0
set label 'fresco' right at graph 0, first 6 offset character -1, character 0
set label 'two-tier-as-written' right at graph 0, first 7 offset character -1, character 0
set label 'split-md5-gated' right at graph 0, first 8 offset character -1, character 0
set label 'split-md5-gated [frequency]' right at graph 0, first 9 offset character -1, character 0
set label 'split-md5-gated [fifo]' right at graph 0, first 10 offset character -1, character 0
set label '3 caches: split-md5-as-written,'."\n".'split-md5-as-written [fifo],'."\n".'split-md5-as-written [frequency]' right at graph 0, first 11 offset character -1, character 1
unset logscale x
set xrange [0:1]
set xtics ('0%%' 0, '20%%' 0.2, '40%%' 0.4, '60%%' 0.6, '80%%' 0.8, '100%%' 1)
set xlabel 'share of requests'
set rmargin at screen 0.92
set label 'blank' at graph 1.012, graph 1.02
set style fill solid 1 border rgb '#ffffff'
unset grid
unset key
set label '12.0%' at graph 1.012, first 1
set label '17.3%' at graph 1.012, first 2
set label '21.2%' at graph 1.012, first 3
set label '24.5%' at graph 1.012, first 4
set label '24.6%' at graph 1.012, first 5
set label '35.2%' at graph 1.012, first 6
set label '55.6%' at graph 1.012, first 7
set label '58.9%' at graph 1.012, first 8
set label '58.9%' at graph 1.012, first 9
set label '59.0%' at graph 1.012, first 10
set label '78.6%' at graph 1.012, first 11
set object rectangle from screen 0.280125, screen 0.01226993865 to screen 0.2934583333, screen 0.02862985685 front fillcolor rgb '#16497F' fillstyle solid 1 noborder
set label 'memory' left at screen 0.2992916667, screen 0.02044989775
set object rectangle from screen 0.3627916667, screen 0.01226993865 to screen 0.376125, screen 0.02862985685 front fillcolor rgb '#3484C5' fillstyle solid 1 noborder
set label 'disk' left at screen 0.3819583333, screen 0.02044989775
set object rectangle from screen 0.4309583333, screen 0.01226993865 to screen 0.4442916667, screen 0.02862985685 front fillcolor rgb '#9ACCDD' fillstyle solid 1 noborder
set label 'network' left at screen 0.450125, screen 0.02044989775
set object rectangle from screen 0.520875, screen 0.01226993865 to screen 0.5342083333, screen 0.02862985685 front fillcolor rgb '#EC860A' fillstyle solid 1 noborder
set label 'late' left at screen 0.5400416667, screen 0.02044989775
set object rectangle from screen 0.5890416667, screen 0.01226993865 to screen 0.602375, screen 0.02862985685 front fillcolor rgb '#B6330C' fillstyle solid 1 noborder
set label 'never' left at screen 0.6082083333, screen 0.02044989775
set object rectangle from screen 0.6644583333, screen 0.01226993865 to screen 0.6777916667, screen 0.02862985685 front fillcolor rgb '#600018' fillstyle solid 1 noborder
set label 'wrong' left at screen 0.683625, screen 0.02044989775
set terminal svg size 1200,978 dynamic noenhanced font 'sans-serif,14' background 'white'
set pointsize 0.9
set output 'stress-flicks-outcomes.svg'
plot 'stress-flicks-outcomes.csv' skip 1 using (0):1:(0):($3):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#16497F' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3):1:($3):($3+$4):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#3484C5' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4):1:($3+$4):($3+$4+$5):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#9ACCDD' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5):1:($3+$4+$5):($3+$4+$5+$6):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#EC860A' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6):1:($3+$4+$5+$6):($3+$4+$5+$6+$7):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#B6330C' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7):1:($3+$4+$5+$6+$7):($3+$4+$5+$6+$7+$8):($1-0.36):($1+0.36) with boxxyerror linecolor rgb '#600018' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using (0+$3/2):1:($3 >= 0.05 ? sprintf('%.0f%%', 100*$3) : '') with labels textcolor rgb '#ffffff' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4/2):1:($4 >= 0.05 ? sprintf('%.0f%%', 100*$4) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5/2):1:($5 >= 0.05 ? sprintf('%.0f%%', 100*$5) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6/2):1:($6 >= 0.05 ? sprintf('%.0f%%', 100*$6) : '') with labels textcolor rgb '#010101' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7/2):1:($7 >= 0.05 ? sprintf('%.0f%%', 100*$7) : '') with labels textcolor rgb '#ffffff' notitle, \
     'stress-flicks-outcomes.csv' skip 1 using ($3+$4+$5+$6+$7+$8/2):1:($8 >= 0.05 ? sprintf('%.0f%%', 100*$8) : '') with labels textcolor rgb '#ffffff' notitle
set terminal pngcairo size 1200,978 noenhanced font 'sans,11' background 'white'
set pointsize 1.6
set output 'stress-flicks-outcomes.png'
replot
set output
# checksum 61066d5a122ef414
