// Beats from standard input (bytes, then TLAST) through the shading kernel's top function to standard output.
#include <cstdio>

#include "shading.cpp"

int main() {
    unsigned char in[kClippedBytes + 1];
    while (std::fread(in, 1, sizeof in, stdin) == sizeof in) {
        hls::stream<ClippedWord> clipped;
        hls::stream<ShadedWord> shaded;
        ClippedWord word;
        for (int i = 0; i < kClippedBytes; ++i) word.data.range(8 * i + 7, 8 * i) = in[i];
        word.last = in[kClippedBytes] != 0;
        clipped.write(word);
        shading(clipped, shaded);
        const ShadedWord answer = shaded.read();
        if (!clipped.empty() || !shaded.empty()) return 1;
        for (int i = 0; i < kShadedBytes; ++i) std::putchar(static_cast<int>(answer.data.range(8 * i + 7, 8 * i).to_uint()));
        std::putchar(answer.last);
    }
    return 0;
}
