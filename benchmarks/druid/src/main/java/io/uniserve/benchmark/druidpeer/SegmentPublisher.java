package io.uniserve.benchmark.druidpeer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.apache.druid.java.util.common.DateTimes;
import org.apache.druid.timeline.DataSegment;

/** Writer of the rows with which Druid's coordinator finds segments, all of a call in one transaction. */
final class SegmentPublisher {
    private static final String INSERT = "INSERT INTO druid_segments (id, dataSource, created_date, start, \"end\","
            + " partitioned, version, used, payload, used_status_last_updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private SegmentPublisher() {}

    static void publish(String metadata, SegmentBuilder builder, List<DataSegment> segments)
            throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection(metadata)) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                for (DataSegment segment : segments) {
                    String now = DateTimes.nowUtc().toString();
                    insert.setString(1, segment.getId().toString());
                    insert.setString(2, segment.getDataSource());
                    insert.setString(3, now);
                    insert.setString(4, segment.getInterval().getStart().toString());
                    insert.setString(5, segment.getInterval().getEnd().toString());
                    insert.setBoolean(6, true);
                    insert.setString(7, segment.getVersion());
                    insert.setBoolean(8, true);
                    insert.setBytes(9, builder.payload(segment));
                    insert.setString(10, now);
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            connection.commit();
        }
    }
}
