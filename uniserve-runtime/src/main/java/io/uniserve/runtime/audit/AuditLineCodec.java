package io.uniserve.runtime.audit;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;

/**
 * Codec of the lines of an audit log. A line is a JSON object in ASCII with fixed fields in a fixed order. Its last field, {@code
 * hash}, is the SHA-256 of all bytes of the line before that field. {@code previous} is the hash of the line before.
 */
final class AuditLineCodec {
    /** Value of {@code previous} in the first line of a log. */
    static final String NO_HASH = "0".repeat(Sha256.HEX_CHARS);

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
            .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
            .build();

    private static final String HASH_START = ",\"hash\":\"";
    private static final String HASH_END = "\"}";
    private static final int HASH_FIELD_CHARS = HASH_START.length() + Sha256.HEX_CHARS + HASH_END.length();

    private AuditLineCodec() {}

    /** Encoded line with its line feed, and its hash. */
    record Encoded(Bytes line, String hash) {}

    /** Encodes a line. */
    static Encoded encode(long sequence, Instant time, String process, AuditEvent event, String previous) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        try (JsonGenerator json = JSON.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeNumberField("sequence", sequence);
            json.writeStringField("time", time.toString());
            json.writeStringField("process", process);
            json.writeStringField("kind", event.kind().name());
            json.writeStringField("principal", event.principal());
            json.writeStringField("address", event.address());
            json.writeStringField("action", event.action());
            json.writeStringField("object", event.object());
            json.writeStringField("outcome", event.outcome().name());
            json.writeStringField("reason", event.reason());
            json.writeStringField("previous", previous);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String hash = Sha256.hex(Bytes.wrap(out.toByteArray()));
        out.writeBytes((HASH_START + hash + HASH_END + "\n").getBytes(StandardCharsets.US_ASCII));
        return new Encoded(Bytes.wrap(out.toByteArray()), hash);
    }

    /**
     * Decodes a line without its line feed, and checks its hash.
     *
     * @throws UniserveException CORRUPT for all bytes that {@link #encode} cannot have written
     */
    static AuditRecord decode(Bytes line) {
        int end = line.size() - HASH_FIELD_CHARS;
        if (end < 0) {
            throw corrupt("is too short for a line of an audit log");
        }
        String hash = Sha256.hex(line.slice(0, end));
        if (!line.slice(end, HASH_FIELD_CHARS).equals(Bytes.utf8(HASH_START + hash + HASH_END))) {
            throw corrupt("does not have the hash of its content, " + hash);
        }
        try (JsonParser json = line.view(AuditLineCodec::parser)) {
            return read(json);
        } catch (IOException | IllegalArgumentException | DateTimeException e) {
            throw corrupt("is not a line of an audit log: " + PrintableText.line(e.getMessage()));
        }
    }

    private static JsonParser parser(byte[] array, int offset, int size) {
        try {
            return JSON.createParser(array, offset, size);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static AuditRecord read(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw corrupt("is not a JSON object");
        }
        next(json, "sequence", JsonToken.VALUE_NUMBER_INT);
        long sequence = json.getLongValue();
        Instant time = Instant.parse(text(json, "time"));
        String process = text(json, "process");
        AuditEvent.Kind kind = AuditEvent.Kind.valueOf(text(json, "kind"));
        String principal = text(json, "principal");
        String address = text(json, "address");
        String action = text(json, "action");
        String object = text(json, "object");
        AuditEvent.Outcome outcome = AuditEvent.Outcome.valueOf(text(json, "outcome"));
        String reason = text(json, "reason");
        String previous = text(json, "previous");
        String hash = text(json, "hash");
        if (json.nextToken() != JsonToken.END_OBJECT || json.nextToken() != null) {
            throw corrupt("has text or fields after the field hash");
        }
        AuditEvent event = new AuditEvent(kind, principal, address, action, object, outcome, reason);
        return new AuditRecord(sequence, time, process, event, previous, hash);
    }

    private static String text(JsonParser json, String name) throws IOException {
        next(json, name, JsonToken.VALUE_STRING);
        return json.getText();
    }

    private static void next(JsonParser json, String name, JsonToken type) throws IOException {
        if (json.nextToken() != JsonToken.FIELD_NAME || !name.equals(json.currentName()) || json.nextToken() != type) {
            throw corrupt("lacks the field " + name + " at its place, or the field has another type");
        }
    }

    private static UniserveException corrupt(String problem) {
        return new UniserveException(ErrorCode.CORRUPT, problem);
    }
}
