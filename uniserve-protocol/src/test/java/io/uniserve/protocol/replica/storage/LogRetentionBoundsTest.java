package io.uniserve.protocol.replica.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LogRetentionBoundsTest {
    private static final long FREE = Long.MAX_VALUE;

    @Test
    void nothingGoesWithoutABackup() {
        assertThat(new LogRetentionBounds(100, 0, FREE).droppableIndex(90, 0)).isZero();
        assertThat(LogRetentionBounds.ALL.droppableIndex(FREE, 0)).isZero();
    }

    @Test
    void whoeverNeedsMostDecides() {
        assertThat(new LogRetentionBounds(50, 80, FREE).droppableIndex(90, 0))
                .as("an in-sync replica")
                .isEqualTo(50);
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(90, 0))
                .as("durable storage")
                .isEqualTo(80);
        assertThat(new LogRetentionBounds(100, 80, 30).droppableIndex(90, 0))
                .as("a learner under way")
                .isEqualTo(30);
        assertThat(new LogRetentionBounds(100, 80, 0).droppableIndex(90, 0))
                .as("a learner without a report")
                .isZero();
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(20, 0))
                .as("the own checkpoint")
                .isEqualTo(20);
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(0, 0))
                .as("no second checkpoint")
                .isZero();
    }

    @Test
    void whatIsPreparedAndUndecidedStays() {
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(90, 41)).isEqualTo(40);
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(90, 95)).isEqualTo(80);
        assertThat(new LogRetentionBounds(100, 80, FREE).droppableIndex(90, 1))
                .as("somewhere")
                .isZero();
    }

    @Test
    void aFollowerDropsNoMoreThanItsPrimaryDidAndThanItShares() {
        assertThat(LogRetentionBounds.ofFollower(60, 100).droppableIndex(90, 0)).isEqualTo(60);
        assertThat(LogRetentionBounds.ofFollower(60, 40).droppableIndex(90, 0)).isEqualTo(40);
        assertThat(LogRetentionBounds.ofFollower(60, 100).droppableIndex(30, 0)).isEqualTo(30);
        assertThat(LogRetentionBounds.ofFollower(0, 100).droppableIndex(90, 0)).isZero();
    }
}
