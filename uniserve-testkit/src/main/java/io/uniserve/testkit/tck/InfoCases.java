package io.uniserve.testkit.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.operator.Operator;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.TableMeta;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cases of a port's description of itself. */
interface InfoCases extends TckCases {
    @Test
    default void infoNameIsWellFormed() {
        assertThat(bench().engine().info().name()).matches("[a-z][a-z0-9-]{0,31}");
    }

    @Test
    default void infoNameIsTheTablesPort() {
        assertThat(bench().engine().info().name())
                .isEqualTo(bench().fixture().meta().port());
    }

    @Test
    default void infoHasAVersionAndALevel() {
        PortInfo info = bench().engine().info();
        assertThat(info.version()).isNotBlank();
        assertThat(info.levels()).isNotEmpty();
    }

    @Test
    default void infoIsTheSameTwice() {
        assertThat(bench().fixture().engine().info()).isEqualTo(bench().engine().info());
    }

    @Test
    default void idsAreNameAtVersionAndUnique() {
        PortInfo info = bench().engine().info();
        assertThat(info.operators()).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z][a-z0-9.-]*@[0-9]+"));
        assertThat(info.updates()).doesNotHaveDuplicates().allMatch(id -> id.matches("[a-z][a-z0-9.-]*@[0-9]+"));
    }

    @Test
    default void instanceHasExactlyTheOperatorsOfInfo() {
        assertThat(bench().instance().operators().stream().map(Operator::id))
                .containsExactlyInAnyOrderElementsOf(bench().engine().info().operators());
    }

    @Test
    default void instanceHasExactlyTheUpdatesOfInfo() {
        assertThat(bench().instance().updates().stream().map(UpdateFunction::id))
                .containsExactlyInAnyOrderElementsOf(bench().engine().info().updates());
    }

    @Test
    default void validateAcceptsTheTable() {
        bench().engine().validate(bench().fixture().meta());
    }

    @Test
    default void validateRefusesAnUnknownOptionByName() {
        TableMeta wrong = bench().withOptions(Map.of("no-such-option", "1"));
        assertThatThrownBy(() -> bench().engine().validate(wrong))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("no-such-option");
    }
}
