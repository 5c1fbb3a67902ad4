# Counts words, their lengths and their neighbors, and replaces by regular expressions.
{
    for (i = 1; i <= NF; i++) {
        word = tolower($i)
        gsub(/[^a-z]/, "", word)
        count[word]++
        letters += length(word)
        if (previous != "" && word ~ /^[aeiou].*[^aeiou]$/) pairs[previous " " word]++
        previous = word
    }
    if (match($0, /[a-z]+ing [a-z]+/)) found += RLENGTH
}
END {
    for (word in count) if (count[word] > most) { most = count[word]; best = word }
    for (pair in pairs) different++
    print NR, letters, found, most, different, sin(most) + sqrt(letters)
}
