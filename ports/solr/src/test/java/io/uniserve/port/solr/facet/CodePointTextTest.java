package io.uniserve.port.solr.facet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CodePointTextTest {
    /** Code points on both sides of each place where the orders by code point and by UTF-16 unit differ. */
    private static final int[] LETTERS = {0, 'a', 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x1f600, 0x10ffff};

    static Stream<CodePointText[]> pairs() {
        Random random = new Random(7);
        return IntStream.range(0, 500).mapToObj(i -> new CodePointText[] {text(random), text(random)});
    }

    private static CodePointText text(Random random) {
        int[] letters = random.ints(random.nextInt(4), 0, LETTERS.length)
                .map(at -> LETTERS[at])
                .toArray();
        return new CodePointText(new String(letters, 0, letters.length));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theNaturalOrderIsThatOfUtf8(CodePointText left, CodePointText right) {
        int expected = Arrays.compareUnsigned(
                left.text().getBytes(StandardCharsets.UTF_8), right.text().getBytes(StandardCharsets.UTF_8));
        assertThat(Integer.signum(left.compareTo(right))).isEqualTo(Integer.signum(expected));
    }
}
