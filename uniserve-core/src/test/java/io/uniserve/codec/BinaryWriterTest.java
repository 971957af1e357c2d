package io.uniserve.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BinaryWriterTest {
    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE));
    }

    @Test
    void aLimitIsReachedAndNotPassed() {
        BinaryWriter out = BinaryWriter.limited(1_000);
        for (int i = 0; i < 125; i++) {
            out.writeLong(i);
        }
        assertThat(out.size()).isEqualTo(1_000);
        assertThat(out.toBytes().size()).isEqualTo(1_000);
        refused(() -> out.writeByte(1));
        refused(() -> out.writeRaw(Bytes.wrap(new byte[1])));
        refused(() -> out.writeString(""));
        assertThat(out.writeRaw(Bytes.EMPTY).size()).isEqualTo(1_000);
    }

    @Test
    void whatCannotFitIsRefusedAtOnce() {
        List<ThrowingCallable> writes = List.of(
                () -> BinaryWriter.limited(10).writeRaw(Bytes.wrap(new byte[11])),
                () -> BinaryWriter.limited(10).writeBytes(Bytes.wrap(new byte[7])),
                () -> BinaryWriter.limited(10).writeString("\u00fc".repeat(4)),
                () -> BinaryWriter.limited(0).writeByte(1),
                () -> Codecs.list(Codecs.LONG).write(BinaryWriter.limited(10), List.of(1L)));
        writes.forEach(BinaryWriterTest::refused);
        assertThat(BinaryWriter.limited(10).writeString("\u00fc".repeat(3)).size())
                .isEqualTo(10);
    }
}
