package io.uniserve.api;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Codec of documents: per value, one tag byte and the value. */
final class DocumentCodec implements Codec<Document> {
    private static final int NULL = 0;
    private static final int TEXT = 1;
    private static final int LONG = 2;
    private static final int DOUBLE = 3;
    private static final int BOOLEAN = 4;
    private static final int LIST = 5;
    private static final int MAP = 6;

    @Override
    public void write(BinaryWriter out, Document document) {
        out.writeString(document.keyField());
        writeFields(out, document.fields(), 0);
    }

    @Override
    public Document read(BinaryReader in) {
        return new Document(in.readName(), readFields(in, 0));
    }

    private static void writeFields(BinaryWriter out, Map<?, ?> fields, int depth) {
        out.writeInt(fields.size());
        fields.forEach((name, value) -> {
            if (!(name instanceof String text)) {
                throw new UniserveException(ErrorCode.INVALID_ROW, "field names must be texts, not " + name);
            }
            try {
                out.writeString(text);
                writeValue(out, value, depth + 1);
            } catch (UniserveException e) {
                throw e.code() == ErrorCode.INVALID_ARGUMENT
                        ? new UniserveException(
                                ErrorCode.INVALID_ROW, "field \"" + PrintableText.line(text) + "\": " + e.reason(), e)
                        : e;
            }
        });
    }

    private static void writeValue(BinaryWriter out, @Nullable Object value, int depth) {
        checkDepth(depth);
        if (value == null) {
            out.writeByte(NULL);
        } else if (value instanceof String text) {
            out.writeByte(TEXT).writeString(text);
        } else if (value instanceof Long number) {
            out.writeByte(LONG).writeLong(number);
        } else if (value instanceof Double number) {
            out.writeByte(DOUBLE).writeDouble(number);
        } else if (value instanceof Boolean flag) {
            out.writeByte(BOOLEAN).writeBoolean(flag);
        } else if (value instanceof List<?> list) {
            out.writeByte(LIST).writeInt(list.size());
            list.forEach(element -> writeValue(out, element, depth + 1));
        } else if (value instanceof Map<?, ?> map) {
            out.writeByte(MAP);
            writeFields(out, FieldSorter.sortedByName(map), depth);
        } else {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "a field's value is a " + value.getClass().getName()
                            + "; use text, Long, Double, Boolean, list or map");
        }
    }

    private static Map<String, @Nullable Object> readFields(BinaryReader in, int depth) {
        int count = in.readCount(5);
        CompactFieldMap.Builder fields = new CompactFieldMap.Builder(count);
        for (int i = 0; i < count; i++) {
            fields.put(in.readName(), readValue(in, depth + 1));
        }
        return fields.build();
    }

    private static @Nullable Object readValue(BinaryReader in, int depth) {
        checkDepth(depth);
        int tag = in.readByte();
        return switch (tag) {
            case NULL -> null;
            case TEXT -> in.readString();
            case LONG -> in.readLong();
            case DOUBLE -> in.readDouble();
            case BOOLEAN -> in.readBoolean();
            case LIST -> readList(in, depth);
            case MAP -> readFields(in, depth);
            default -> throw new UniserveException(ErrorCode.CORRUPT, "unknown value tag " + tag);
        };
    }

    private static List<@Nullable Object> readList(BinaryReader in, int depth) {
        int count = in.readCount(1);
        List<@Nullable Object> list = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            list.add(readValue(in, depth + 1));
        }
        return Collections.unmodifiableList(list);
    }

    private static void checkDepth(int depth) {
        if (depth > Limits.DOCUMENT_DEPTH_MAX) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW, "document is nested deeper than " + Limits.DOCUMENT_DEPTH_MAX);
        }
    }
}
