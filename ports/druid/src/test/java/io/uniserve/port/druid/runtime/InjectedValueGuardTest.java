package io.uniserve.port.druid.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.apache.druid.query.filter.DimFilter;
import org.apache.druid.query.lookup.LookupExtractor;
import org.junit.jupiter.api.Test;

class InjectedValueGuardTest {
    private static List<ObjectMapper> mappers() {
        return List.of(DruidServices.get().json(), DruidServices.get().smile());
    }

    private static <T> T read(ObjectMapper mapper, String json, Class<T> type) throws IOException {
        return mapper.readValue(
                mapper.writeValueAsBytes(DruidServices.get().json().readTree(json)), type);
    }

    @Test
    void aFieldWithoutANameDoesNotSwitchJavaScriptOn() throws IOException {
        for (ObjectMapper mapper : mappers()) {
            DimFilter filter = read(
                    mapper,
                    "{\"type\":\"javascript\",\"dimension\":\"d\",\"function\":\"function(v){return true}\","
                            + "\"\":{\"enabled\":true}}",
                    DimFilter.class);
            assertThatThrownBy(filter::toFilter).hasMessageContaining("JavaScript is disabled");
        }
    }

    @Test
    void mapsKeepEmptyKeys() throws IOException {
        for (ObjectMapper mapper : mappers()) {
            LookupExtractor lookup =
                    read(mapper, "{\"type\":\"map\",\"map\":{\"\":\"x\",\"a\":\"y\"}}", LookupExtractor.class);
            assertThat(lookup.apply("")).isEqualTo("x");
            assertThat(lookup.apply("a")).isEqualTo("y");
        }
    }
}
