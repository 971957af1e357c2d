package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import org.junit.jupiter.api.Test;

class DuckResultMergerTest {
    @Test
    void aLimitThatIsNoSizeIsRefusedAtOnce() {
        assertThatThrownBy(() -> new DuckResultMerger().setMemoryLimit("much"))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("much");
        new DuckResultMerger().setMemoryLimit("100MB");
    }
}
