# Blank time of policies beyond that of LRU
# Draws this chart again: gnuplot difference.gp
set encoding utf8
set datafile separator comma
set title 'Blank time of policies of memory beyond that of LRU' font ',17'
set label 'a feed · 56 modelled people · 250 MB on disk' at graph 0.5, graph 1.03 center textcolor rgb '#777777'
set border 3 linecolor rgb '#555555'
set grid back linecolor rgb '#dddddd' linetype 1 linewidth 1
set tics nomirror
set tmargin 5
set logscale x 2
set xrange [6:190]
set xtics ('8 MB' 8, '16 MB' 16, '32 MB' 32, '64 MB' 64, '128 MB' 128)
set xlabel 'limit of memory'
set ylabel 'points of blank time more than with LRU (95 % intervals)'
set yrange [-0.02:*]
set key outside right center reverse Left samplen 2
set arrow from graph 0, first 0.1 to graph 1, first 0.1 nohead dashtype 2 linecolor rgb '#777777'
set label 'below: a tie, too small to notice' at graph 0.02, first 0.105 textcolor rgb '#777777'
set terminal pngcairo size 1200,640 noenhanced font 'sans,11' background 'white'
set pointsize 1.2
set output 'difference.png'
plot 'difference.csv' using (strcol(1) eq "fifo" ? $3 : NaN):4:5:6 with yerrorlines pointtype 4 linecolor rgb '#0072B2' title 'fifo', \
     'difference.csv' using (strcol(1) eq "clock" ? $3 : NaN):4:5:6 with yerrorlines pointtype 5 linecolor rgb '#D55E00' title 'clock', \
     'difference.csv' using (strcol(1) eq "sieve" ? $3 : NaN):4:5:6 with yerrorlines pointtype 6 linecolor rgb '#009E73' title 'sieve', \
     'difference.csv' using (strcol(1) eq "s3fifo" ? $3 : NaN):4:5:6 with yerrorlines pointtype 7 linecolor rgb '#CC79A7' title 's3fifo', \
     'difference.csv' using (strcol(1) eq "w-tinylfu" ? $3 : NaN):4:5:6 with yerrorlines pointtype 8 linecolor rgb '#E69F00' title 'w-tinylfu', \
     'difference.csv' using (strcol(1) eq "w-tinylfu(climb: true)" ? $3 : NaN):4:5:6 with yerrorlines pointtype 9 linecolor rgb '#56B4E9' title 'w-tinylfu(climb: true)', \
     'difference.csv' using (strcol(1) eq "gdsf" ? $3 : NaN):4:5:6 with yerrorlines pointtype 10 linecolor rgb '#555555' title 'gdsf', \
     'difference.csv' using (strcol(1) eq "slru" ? $3 : NaN):4:5:6 with yerrorlines pointtype 11 linecolor rgb '#882255' title 'slru', \
     'difference.csv' using (strcol(1) eq "arc" ? $3 : NaN):4:5:6 with yerrorlines pointtype 12 linecolor rgb '#117733' title 'arc', \
     'difference.csv' using (strcol(1) eq "lirs" ? $3 : NaN):4:5:6 with yerrorlines pointtype 13 linecolor rgb '#999933' title 'lirs', \
     'difference.csv' using (strcol(1) eq "lhd" ? $3 : NaN):4:5:6 with yerrorlines pointtype 14 linecolor rgb '#AA4499' title 'lhd'
set output
