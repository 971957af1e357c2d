package io.uniserve.runtime.proto;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.uniserve.codec.Sha256;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compact encoding of settled decisions: committed ones that all participants have logged. Only retries need them. They are most of a
 * transaction log, which is written twice and read by every server per atomic update. The encoding has the list of clients first.
 * Then, per request: the increase of the version (0 for a request merged into the same version), the index of its client, the
 * increase of the client's sequence number, and the hash.
 */
public final class DecisionHistoryCodec {
    private static final int HASH_BYTES = Sha256.HEX_CHARS / 2;
    private static final int CLIENT_BYTES = 2 * Long.BYTES;
    /** A hash and three small numbers. */
    private static final int RECORD_BYTES = HASH_BYTES + 6;

    private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    /** Value of each hexadecimal digit, negative for other characters. */
    private static final byte[] VALUES = values();

    private DecisionHistoryCodec() {}

    private record ClientId(long high, long low) {}

    /** Client with its last sequence number. */
    private static final class Client {
        private final ClientId id;
        private final int number;
        private long sequence;

        private Client(ClientId id, int number) {
            this.id = id;
            this.number = number;
        }
    }

    /** True for a decision that this encoding can represent. */
    static boolean isEncodable(Decision decision) {
        return decision.committed()
                && decision.version() > 0
                && decision.reason().isEmpty()
                && decision.refusedRequests().isEmpty()
                && decision.unackedParticipants().isEmpty()
                && !decision.batches().isEmpty()
                && decision.batches().stream().allMatch(batch -> isHash(batch.sha256()));
    }

    /** True for a hash in hexadecimal digits. */
    static boolean isHash(String text) {
        if (text.length() != Sha256.HEX_CHARS) {
            return false;
        }
        int all = 0;
        for (int i = 0; i < Sha256.HEX_CHARS; i++) {
            char c = text.charAt(i);
            all |= VALUES[c & 0x7f] | (c > 0x7f ? -1 : 0);
        }
        return all >= 0;
    }

    private static byte[] values() {
        byte[] values = new byte[0x80];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            values[DIGITS[i]] = (byte) i;
        }
        return values;
    }

    /** Encodes decisions for which {@link #isEncodable} is true, in ascending order of versions. */
    static ByteString pack(List<Decision> decisions) {
        if (decisions.isEmpty()) {
            return ByteString.EMPTY;
        }
        Map<ClientId, Client> clients = new LinkedHashMap<>();
        int records = 0;
        for (Decision decision : decisions) {
            for (Batch batch : decision.batches()) {
                client(clients, batch.request());
                records++;
            }
        }
        ByteString.Output bytes = ByteString.newOutput(16 * clients.size() + RECORD_BYTES * records + 16);
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            out.writeUInt32NoTag(clients.size());
            for (ClientId id : clients.keySet()) {
                out.writeFixed64NoTag(id.high());
                out.writeFixed64NoTag(id.low());
            }
            out.writeUInt32NoTag(records);
            write(decisions, clients, out);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteString();
    }

    private static Client client(Map<ClientId, Client> clients, RequestId request) {
        return clients.computeIfAbsent(
                new ClientId(request.clientHigh(), request.clientLow()), id -> new Client(id, clients.size()));
    }

    private static void write(List<Decision> decisions, Map<ClientId, Client> clients, CodedOutputStream out)
            throws IOException {
        byte[] hash = new byte[HASH_BYTES];
        long version = 0;
        for (Decision decision : decisions) {
            for (Batch batch : decision.batches()) {
                Client client = client(clients, batch.request());
                out.writeUInt64NoTag(decision.version() - version);
                out.writeUInt32NoTag(client.number);
                out.writeSInt64NoTag(batch.request().sequence() - client.sequence);
                toBytes(batch.sha256(), hash);
                out.writeRawBytes(hash);
                version = decision.version();
                client.sequence = batch.request().sequence();
            }
        }
    }

    /** Reads the number of encoded requests without decoding them. */
    public static int count(ByteString bytes) {
        if (bytes.isEmpty()) {
            return 0;
        }
        CodedInputStream in = bytes.newCodedInput();
        try {
            int clients = in.readUInt32();
            if (clients < 0 || clients > bytes.size() / CLIENT_BYTES) {
                throw ProtoValidator.malformed("settled has " + clients + " clients in " + bytes.size() + " bytes");
            }
            in.skipRawBytes(clients * CLIENT_BYTES);
            return in.readUInt32();
        } catch (IOException e) {
            throw ProtoValidator.malformed("settled is cut off or damaged: " + e.getMessage());
        }
    }

    /** Decodes the output of {@link #pack}. */
    static List<Decision> unpack(ByteString bytes) {
        if (bytes.isEmpty()) {
            return List.of();
        }
        CodedInputStream in = bytes.newCodedInput();
        try {
            List<Client> clients = clients(in, bytes.size());
            int records = in.readUInt32();
            if (records < 0 || records > bytes.size() / HASH_BYTES) {
                throw ProtoValidator.malformed("settled has " + records + " updates in " + bytes.size() + " bytes");
            }
            List<Decision> decisions = read(in, clients, records);
            if (!in.isAtEnd()) {
                throw ProtoValidator.malformed("settled has bytes after its last update");
            }
            return decisions;
        } catch (IOException e) {
            throw ProtoValidator.malformed("settled is cut off or damaged: " + e.getMessage());
        }
    }

    private static List<Client> clients(CodedInputStream in, int size) throws IOException {
        int count = in.readUInt32();
        if (count < 0 || count > size / Long.BYTES) {
            throw ProtoValidator.malformed("settled has " + count + " clients in " + size + " bytes");
        }
        List<Client> clients = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            clients.add(new Client(new ClientId(in.readFixed64(), in.readFixed64()), i));
        }
        return clients;
    }

    private static List<Decision> read(CodedInputStream in, List<Client> clients, int records) throws IOException {
        List<Decision> decisions = new ArrayList<>(records);
        List<Batch> batches = new ArrayList<>(1);
        byte[] digits = new byte[Sha256.HEX_CHARS];
        long version = 0;
        for (int i = 0; i < records; i++) {
            long more = in.readUInt64();
            if (more < 0 || more == 0 && i == 0 || version + more < version) {
                throw ProtoValidator.malformed("settled has version " + (version + more) + " after " + version);
            }
            if (more > 0 && i > 0) {
                decisions.add(committed(version, batches));
                batches.clear();
            }
            version += more;
            int number = in.readUInt32();
            if (number < 0 || number >= clients.size()) {
                throw ProtoValidator.malformed("settled names client " + number + " of " + clients.size());
            }
            Client client = clients.get(number);
            client.sequence += in.readSInt64();
            batches.add(new Batch(new RequestId(client.id.high(), client.id.low(), client.sequence), hash(in, digits)));
        }
        if (records > 0) {
            decisions.add(committed(version, batches));
        }
        return decisions;
    }

    private static Decision committed(long version, List<Batch> batches) {
        if (batches.size() > Limits.ATOMIC_BATCHES_PER_VERSION_MAX) {
            throw ProtoValidator.malformed("settled has " + batches.size() + " updates of version " + version);
        }
        return new Decision(version, true, batches, List.of(), "", List.of());
    }

    private static void toBytes(String hex, byte[] hash) {
        for (int i = 0; i < HASH_BYTES; i++) {
            hash[i] = (byte) (VALUES[hex.charAt(2 * i)] << 4 | VALUES[hex.charAt(2 * i + 1)]);
        }
    }

    private static String hash(CodedInputStream in, byte[] digits) throws IOException {
        for (int i = 0; i < HASH_BYTES; i++) {
            byte next = in.readRawByte();
            digits[2 * i] = DIGITS[next >> 4 & 0xf];
            digits[2 * i + 1] = DIGITS[next & 0xf];
        }
        return new String(digits, StandardCharsets.ISO_8859_1);
    }
}
