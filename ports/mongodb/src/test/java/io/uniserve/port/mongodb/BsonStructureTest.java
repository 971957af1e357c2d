package io.uniserve.port.mongodb;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** Lengths in BSON from the network. */
class BsonStructureTest {
    static final BsonDocument EVERY_TYPE = BsonDocument.parse("""
            {a: 1, b: {$numberLong: '5'}, c: 1.5, d: 'text', e: [1, {f: null}], g: true, h: {$oid: '507f1f77bcf86cd799439011'},
             i: {$date: '2024-01-01T00:00:00Z'}, j: {$binary: {base64: 'AQI=', subType: '00'}}, k: {$numberDecimal: '1.50'},
             l: {$regularExpression: {pattern: 'a', options: 'i'}}, m: {$timestamp: {t: 1, i: 1}}, n: {$minKey: 1},
             o: {$maxKey: 1}, p: {}}""");

    @Test
    void acceptsEveryType() {
        assertThatCode(() -> BsonStructure.check(BsonRows.encode(EVERY_TYPE))).doesNotThrowAnyException();
    }

    @Test
    void refusesEveryCutAndBytesAfterTheEnd() {
        byte[] whole = BsonRows.encode(EVERY_TYPE);
        for (int length = 0; length < whole.length; length++) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> BsonStructure.check(part))
                    .as("%d bytes", length)
                    .hasMessageContaining("BSON");
        }
        assertThatThrownBy(() -> BsonStructure.check(Arrays.copyOf(whole, whole.length + 1)))
                .hasMessageContaining("after its end");
    }

    @Test
    void refusesCode() {
        byte[] code = BsonRows.encode(BsonDocument.parse("{f: {$code: 'return 1'}, g: {$code: 'x', $scope: {}}}"));
        assertThatThrownBy(() -> BsonStructure.check(code)).hasMessageContaining("BSON");
    }

    /** What the check accepts, the driver decodes or refuses, without an allocation that a length demands. */
    @Test
    void damagedBytesAreRefusedOrDecoded() {
        Random random = new Random(7);
        byte[] whole = BsonRows.encode(EVERY_TYPE);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
            try {
                BsonStructure.check(damaged);
                BsonRows.decode(damaged);
            } catch (RuntimeException refused) {
                // an OutOfMemoryError or an endless loop would be the fault
            }
        }
    }
}
