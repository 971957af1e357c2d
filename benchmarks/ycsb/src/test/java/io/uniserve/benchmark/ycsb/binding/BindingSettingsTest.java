package io.uniserve.benchmark.ycsb.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.model.ConsistencyLevel;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import site.ycsb.DBException;

/** Properties of the binding. */
class BindingSettingsTest {
    private static Properties properties(String... pairs) {
        Properties properties = new Properties();
        properties.setProperty("uniserve.bootstrap", "127.0.0.1:7071,127.0.0.1:7072");
        for (String pair : pairs) {
            String[] words = pair.split("=", 2);
            properties.setProperty(words[0], words[1]);
        }
        return properties;
    }

    @Test
    void defaultsAreThoseOfTheManual() throws DBException {
        BindingSettings settings = BindingSettings.of(properties());
        assertThat(settings.bootstrap()).containsExactly("127.0.0.1:7071", "127.0.0.1:7072");
        assertThat(settings.table()).isEqualTo("usertable");
        assertThat(settings.engine()).isEmpty();
        assertThat(settings.actors()).isEqualTo(8);
        assertThat(settings.replicas()).isEqualTo(1);
        assertThat(settings.batch()).isEqualTo(1);
        assertThat(settings.ranges()).isFalse();
        assertThat(settings.level()).isEqualTo(ConsistencyLevel.EVENTUAL);
        assertThat(BindingSettings.of(properties("uniserve.level=fully-serializable"))
                        .level())
                .isEqualTo(ConsistencyLevel.FULLY_SERIALIZABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "uniserve.bootstrap=, property uniserve.bootstrap is missing: give the address of a server",
        "uniserve.engine=redis, 'property uniserve.engine is redis: use one of kv, mongodb, duckdb, lucene'",
        "uniserve.actors=0, property uniserve.actors is 0: use 1 to 1024",
        "uniserve.actors=many, 'property uniserve.actors is many: use a whole number, 1 to 1024'",
        "uniserve.replicas=-1, property uniserve.replicas is -1",
        "uniserve.level=strong, 'property uniserve.level is strong: use one of [eventual'",
        "uniserve.partition=list, property uniserve.partition is list: use hash or range",
        "uniserve.partition=range, property uniserve.partition is range: it needs insertorder=ordered",
        "uniserve.batch=0, property uniserve.batch is 0",
        "recordcount=0, property recordcount is 0"
    })
    void wrongPropertiesAreNamed(String pair, String message) {
        assertThatThrownBy(() -> BindingSettings.of(properties(pair)))
                .isInstanceOf(DBException.class)
                .hasMessageContaining(message);
    }
}
