package io.uniserve.sql.rows;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Encoding of a column. Numbers take as few bytes each as the distance from the smallest to the largest needs. Texts with few distinct
 * values are encoded as indexes into a dictionary. Each value takes at least one byte, so a row count is checked against the received
 * bytes.
 */
final class ColumnCodec {
    private static final int NUMBERS = 0;
    private static final int TEXTS = 1;
    private static final int LISTED = 2;
    private static final int LISTED_MAX = 256;
    /** Shorter columns do not benefit from a dictionary. */
    private static final int DICTIONARY_ROWS_MIN = 16;

    private ColumnCodec() {}

    static void write(BinaryWriter out, SqlColumn column) {
        BitSet nulls = column.nulls();
        Map<String, Integer> places = column.isNumbers() ? Map.of() : dictionary(column);
        out.writeByte(column.isNumbers() ? NUMBERS : places.isEmpty() ? TEXTS : LISTED);
        out.writeBytes(Bytes.wrap(nulls.toByteArray()));
        if (column.isNumbers()) {
            writeNumbers(out, column);
        } else if (places.isEmpty()) {
            for (int row = 0; row < column.count(); row++) {
                String text = column.text(row);
                out.writeString(text == null ? "" : text);
            }
        } else {
            out.writeInt(places.size());
            places.keySet().forEach(out::writeString);
            byte[] all = new byte[column.count()];
            for (int row = 0; row < all.length; row++) {
                String text = column.text(row);
                all[row] = (byte) (text == null ? 0 : places.getOrDefault(text, 0));
            }
            out.writeBytes(Bytes.wrap(all));
        }
    }

    /** Returns the distinct texts in their order; empty if there are too many, or only NULLs. */
    private static Map<String, Integer> dictionary(SqlColumn column) {
        Map<String, Integer> places = new LinkedHashMap<>();
        if (column.count() < DICTIONARY_ROWS_MIN) {
            return Map.of();
        }
        for (int row = 0; row < column.count(); row++) {
            String text = column.text(row);
            if (text != null && !places.containsKey(text)) {
                places.put(text, places.size());
                if (places.size() > LISTED_MAX || places.size() > column.count() / 2) {
                    return Map.of();
                }
            }
        }
        return places;
    }

    private static void writeNumbers(BinaryWriter out, SqlColumn column) {
        long least = Long.MAX_VALUE;
        long most = Long.MIN_VALUE;
        for (int row = 0; row < column.count(); row++) {
            if (!column.isNull(row)) {
                least = Math.min(least, column.number(row));
                most = Math.max(most, column.number(row));
            }
        }
        int width = least > most ? 1 : width(most - least);
        long base = width == Long.BYTES || least > most ? 0 : least;
        ByteBuffer all = ByteBuffer.allocate(column.count() * width);
        for (int row = 0; row < column.count(); row++) {
            long value = column.isNull(row) ? 0 : column.number(row) - base;
            switch (width) {
                case 1 -> all.put((byte) value);
                case 2 -> all.putShort((short) value);
                case 4 -> all.putInt((int) value);
                default -> all.putLong(value);
            }
        }
        out.writeByte(width).writeLong(base).writeBytes(Bytes.wrap(all.array()));
    }

    /** Returns the bytes that numbers from 0 to this one need. A negative number is a difference that overflowed; it needs all. */
    private static int width(long most) {
        if (most < 0 || most >>> 32 != 0) {
            return Long.BYTES;
        }
        return most >>> 16 != 0 ? Integer.BYTES : most >>> 8 != 0 ? Short.BYTES : 1;
    }

    /** Reads a column. Fails with CORRUPT if the bytes are invalid. */
    static SqlColumn read(BinaryReader in, String type, int count) {
        int form = in.readByte();
        BitSet nulls = BitSet.valueOf(in.readBytes().buffer());
        if (nulls.length() > count) {
            throw corrupt("the column has NULL in row " + nulls.length() + " of " + count);
        }
        return switch (form) {
            case NUMBERS -> new SqlColumn(type, count, nulls, numbers(in, type, count));
            case TEXTS -> {
                List<@Nullable String> texts = new ArrayList<>(count);
                for (int row = 0; row < count; row++) {
                    String text = in.readString();
                    texts.add(nulls.get(row) ? null : text);
                }
                yield new SqlColumn(type, texts);
            }
            case LISTED -> new SqlColumn(type, readDictionaryColumn(in, nulls, count));
            default -> throw corrupt("the column has unknown form " + form);
        };
    }

    private static List<@Nullable String> readDictionaryColumn(BinaryReader in, BitSet nulls, int count) {
        List<String> places = new ArrayList<>();
        for (int left = in.readCount(Integer.BYTES); left > 0; left--) {
            places.add(in.readString());
        }
        List<@Nullable String> texts = new ArrayList<>(count);
        Bytes all = readSized(in, count);
        for (int row = 0; row < count; row++) {
            int place = all.at(row) & 0xff;
            if (place >= places.size()) {
                throw corrupt("text " + place + " of " + places.size());
            }
            texts.add(nulls.get(row) ? null : places.get(place));
        }
        return texts;
    }

    private static long[] numbers(BinaryReader in, String type, int count) {
        int width = in.readByte();
        long base = in.readLong();
        if (!SqlColumn.hasNumbers(type) || (width != 1 && width != 2 && width != 4 && width != Long.BYTES)) {
            throw corrupt("the column has numbers of " + width + " bytes for type " + type);
        }
        ByteBuffer all = readSized(in, (long) count * width).buffer();
        long[] numbers = new long[count];
        for (int row = 0; row < count; row++) {
            numbers[row] = base
                    + switch (width) {
                        case 1 -> all.get() & 0xff;
                        case 2 -> all.getShort() & 0xffff;
                        case 4 -> all.getInt() & 0xffff_ffffL;
                        default -> all.getLong();
                    };
        }
        return numbers;
    }

    private static Bytes readSized(BinaryReader in, long size) {
        Bytes bytes = in.readBytes();
        if (bytes.size() != size) {
            throw corrupt("the column has " + bytes.size() + " bytes, expected " + size);
        }
        return bytes;
    }

    private static UniserveException corrupt(String message) {
        return new UniserveException(ErrorCode.CORRUPT, message);
    }
}
