package io.uniserve.cli.load;

import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;

/** Byte order mark, with which some programs begin a text file. Stateless. */
final class ByteOrderMark {
    private static final int BYTES = 3;
    private static final int UTF_8 = 0xef_bb_bf;
    private static final int UTF_16_BIG = 0xfe_ff;
    private static final int UTF_16_LITTLE = 0xff_fe;

    private ByteOrderMark() {}

    /**
     * Returns the stream without the mark of UTF-8. Fails with INVALID_ARGUMENT for the mark of UTF-16, in which no row can be read.
     *
     * @param file name for messages
     */
    static InputStream skip(InputStream in, String file) throws IOException {
        PushbackInputStream rest = new PushbackInputStream(in, BYTES);
        byte[] head = rest.readNBytes(BYTES);
        int two = head.length < 2 ? 0 : (head[0] & 0xff) << 8 | head[1] & 0xff;
        if (two == UTF_16_BIG || two == UTF_16_LITTLE) {
            throw UniserveException.invalid(
                    file + " line 1: is UTF-16: convert the file to UTF-8, for example with iconv -f UTF-16 -t UTF-8");
        }
        if (head.length < BYTES || (two << 8 | head[2] & 0xff) != UTF_8) {
            rest.unread(head);
        }
        return rest;
    }
}
