package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.model.PartitionKey;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Keys of rows as mongoexport writes them. */
class RowValidatorTest {
    private final RowValidator validator = new RowValidator(
            TableSpec.named("films").port("mongodb").keyField("_id").hash(4).meta());

    private Document withKey(Object id) {
        return validator.withTableKey(new Document("_id", Map.of("_id", id, "n", 1L)));
    }

    @Test
    void idsOfExtendedJsonHaveAKey() {
        Map<String, Object> id = Map.of("$oid", "507F1f77bcf86cd799439011");
        Document row = withKey(id);
        assertThat(row.partitionKey()).isEqualTo(PartitionKey.of("oid:507f1f77bcf86cd799439011"));
        assertThat(row.fields()).containsEntry("_id", id);
        assertThat(withKey(Map.of("$numberLong", "-7")).partitionKey()).isEqualTo(PartitionKey.of(-7));
        assertThat(withKey(Map.of("$numberInt", "7")).partitionKey()).isEqualTo(PartitionKey.of(7));
        assertThat(withKey("a")).isEqualTo(new Document("_id", Map.of("_id", "a", "n", 1L)));
    }

    @Test
    void othersAreRefused() {
        for (Map<String, Object> id : List.<Map<String, Object>>of(
                Map.of("$oid", "507f"), Map.of("$date", "2024-01-01"), Map.of("a", 1L), Map.of())) {
            assertThatThrownBy(() -> withKey(id)).as("%s", id).hasMessageContaining("the row's _id is");
        }
    }
}
