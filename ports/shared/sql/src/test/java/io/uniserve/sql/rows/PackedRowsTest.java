package io.uniserve.sql.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;

class PackedRowsTest {
    private static PackedRows decoded(int count, byte[] packed) {
        CRC32C sum = new CRC32C();
        sum.update(packed);
        BinaryWriter out = new BinaryWriter();
        out.writeInt(0)
                .writeInt(count)
                .writeBoolean(true)
                .writeInt((int) sum.getValue())
                .writeBytes(Bytes.wrap(packed));
        return PackedRows.CODEC.decode(out.finish());
    }

    private static byte[] deflated(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream packing = new DeflaterOutputStream(out)) {
            packing.write(bytes);
        }
        return out.toByteArray();
    }

    private static void corrupt(PackedRows rows) {
        assertThatThrownBy(rows::unpack)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }

    @Test
    void rowsComeBackAsTheyWere() {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            rows.add(Arrays.asList("" + i, i % 3 == 0 ? null : "日本 " + i, ""));
        }
        SqlRows all = new SqlRows(List.of("BIGINT", "VARCHAR", "VARCHAR"), List.copyOf(rows));
        PackedRows packed = PackedRows.CODEC.decode(PackedRows.CODEC.encode(PackedRows.of(all)));
        assertThat(packed.unpack()).isEqualTo(all);
        assertThat(packed.count()).isEqualTo(1_000);
        PackedRows smaller = PackedRows.CODEC.decode(PackedRows.CODEC.encode(packed.deflate()));
        assertThat(smaller.bytes()).isLessThan(10_000).isLessThan(packed.bytes());
        assertThat(smaller.unpack()).isEqualTo(all);
    }

    @Test
    void whatIsNotRowsIsRefused() throws IOException {
        corrupt(decoded(1, new byte[] {1, 2, 3}));
        corrupt(decoded(1, new byte[0]));
        corrupt(decoded(1, deflated(new byte[] {0, 0, 0, 1})));
        byte[] whole = deflated(new byte[100_000]);
        corrupt(decoded(1, Arrays.copyOf(whole, whole.length / 2)));
        SqlRows one = new SqlRows(List.of("BIGINT"), List.of(List.of("1")));
        Bytes encoded = PackedRows.CODEC.encode(PackedRows.of(one));
        byte[] bytes = encoded.toArray();
        bytes[7] = 2;
        corrupt(PackedRows.CODEC.decode(Bytes.wrap(bytes)));
    }

    @Test
    void everyByteThatChangesOnTheWayIsNoticed() {
        SqlRows rows = new SqlRows(List.of("VARCHAR"), List.of(List.of("one"), List.of("two")));
        byte[] bytes = PackedRows.CODEC.encode(PackedRows.of(rows)).toArray();
        for (int i = 5; i < bytes.length; i++) {
            byte[] other = bytes.clone();
            other[i] ^= 1;
            assertThatThrownBy(() -> PackedRows.CODEC.decode(Bytes.wrap(other)).unpack())
                    .as("byte " + i)
                    .isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void bytesThatUnpackToTooManyAreRefused() throws IOException {
        corrupt(decoded(1, deflated(new byte[PackedRows.UNPACKED_BYTES_MAX + 1])));
    }

    private static List<String> keys(PackedRows rows) {
        return rows.unpack().rows().stream().map(row -> row.get(0)).toList();
    }

    /** Each row is in the share of the actor that owns its key, once; a value that cannot be a key is in none. */
    @Test
    void sharesAreOfTheActorsThatHaveTheKeys() {
        Partitioner three = new Partitioner.Hash(3);
        List<List<String>> rows = new ArrayList<>();
        for (int i = -50; i < 50; i++) {
            rows.add(Arrays.asList(i == 7 ? null : "" + i, "row " + i));
        }
        SqlRows all = new SqlRows(List.of("BIGINT", "VARCHAR"), rows);
        PackedRows shared = PackedRows.CODEC.decode(PackedRows.CODEC.encode(
                PackedRows.ofPartitioned(all, 0, three, true).deflate()));
        assertThat(shared.isPartitioned()).isTrue();
        assertThat(shared.count()).isEqualTo(99);
        assertThat(keys(shared)).hasSize(99).doesNotHaveDuplicates().doesNotContain("7");
        for (int actor = 0; actor < 3; actor++) {
            int own = actor;
            assertThat(keys(shared.partition(actor)))
                    .isNotEmpty()
                    .allSatisfy(key -> assertThat(three.actorOf(PartitionKey.of(Long.parseLong(key))))
                            .isEqualTo(own));
        }
        assertThatThrownBy(() -> shared.partition(3)).hasMessageContaining("none for actor 3");
        PackedRows same = PackedRows.of(all);
        assertThat(same.partition(5)).isSameAs(same);
    }

    @Test
    void textsThatAreNoKeysHaveNoActor() {
        List<List<String>> rows =
                List.of(List.of(""), List.of("x".repeat(Limits.KEY_BYTES_MAX + 1)), List.of("a"), List.of("7"));
        PackedRows shared =
                PackedRows.ofPartitioned(new SqlRows(List.of("VARCHAR"), rows), 0, new Partitioner.Hash(2), false);
        assertThat(keys(shared)).containsExactlyInAnyOrder("a", "7");
        assertThat(keys(shared.partition(new Partitioner.Hash(2).actorOf(PartitionKey.of("7")))))
                .contains("7");
    }

    /** A share of zeros that compresses well is allowed; all together exceed the limit. */
    @Test
    void sharesThatAreTooManyTogetherAreRefused() {
        SqlRows one = new SqlRows(List.of("VARCHAR"), List.of(List.of("x".repeat(30 << 20))));
        PackedRows packed = PackedRows.of(one);
        BinaryWriter out = new BinaryWriter();
        Bytes encoded = PackedRows.CODEC.encode(packed);
        out.writeInt(3);
        for (int i = 0; i < 3; i++) {
            for (int at = 4; at < encoded.size(); at++) {
                out.writeByte(encoded.at(at));
            }
        }
        PackedRows shares = PackedRows.CODEC.decode(out.finish());
        assertThat(shares.count()).isEqualTo(3);
        assertThat(shares.partition(2).unpack().count()).isEqualTo(1);
        corrupt(PackedRows.CODEC.decode(PackedRows.CODEC.encode(shares)));
        for (int count : new int[] {-1, 1 << 21}) {
            BinaryWriter bad = new BinaryWriter();
            bad.writeInt(2);
            for (int i = 0; i < 2; i++) {
                bad.writeInt(count).writeBoolean(false).writeInt(0).writeBytes(Bytes.EMPTY);
            }
            assertThatThrownBy(() -> PackedRows.CODEC.decode(bad.finish()))
                    .hasMessageContaining("packed rows, at most");
        }
    }
}
