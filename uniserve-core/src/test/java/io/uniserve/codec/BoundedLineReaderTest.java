package io.uniserve.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedLineReaderTest {
    /** Reader of one character repeated, then a line feed and a last line. It keeps nothing in memory. */
    private static final class LongLine extends Reader {
        private final String tail = "\nlast";
        private long left;

        LongLine(long chars) {
            left = chars + tail.length();
        }

        @Override
        public int read(char[] buffer, int offset, int length) {
            if (left == 0) {
                return -1;
            }
            int count = (int) Math.min(left, length);
            for (int i = 0; i < count; i++, left--) {
                buffer[offset + i] = left > tail.length() ? 'x' : tail.charAt((int) (tail.length() - left));
            }
            return count;
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "a\n",
                "a\nb",
                "a\r\nb\r\n",
                "a\r\rb",
                "\n\n",
                "\r\n\r\n",
                "\n\r\n\ra",
                "\r",
                "a\n\rb\r\n"
            })
    void areThoseOfABufferedReader(String text) throws IOException {
        BoundedLineReader lines = new BoundedLineReader(new StringReader(text), 1);
        List<String> all = new ArrayList<>();
        for (Optional<String> line = lines.next(); line.isPresent(); line = lines.next()) {
            all.add(line.get());
        }
        assertThat(all)
                .isEqualTo(new BufferedReader(new StringReader(text)).lines().toList());
    }

    @Test
    void endsMayStandBetweenBuffers() throws IOException {
        String line = "x".repeat(8_191);
        BoundedLineReader lines = new BoundedLineReader(new StringReader(line + "\r\n" + line + "\r\n\n"), 8_191);
        assertThat(lines.next()).contains(line);
        assertThat(lines.next()).contains(line);
        assertThat(lines.next()).contains("");
        assertThat(lines.next()).isEmpty();
    }

    /** More than a String may have. */
    @Test
    void aLineThatIsTooLongIsPassedOverAndNotKept() throws IOException {
        BoundedLineReader lines = new BoundedLineReader(new LongLine(1L << 31), 1_000);
        assertThatThrownBy(lines::next)
                .isInstanceOf(BoundedLineReader.TooLongException.class)
                .hasMessage("the line has more than 1,000 characters");
        assertThat(lines.next()).contains("last");
        assertThat(lines.next()).isEmpty();
    }
}
