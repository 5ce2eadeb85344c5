"""The style sheet: spacing, hairlines and rounded corners on top of Qt's Fusion style."""

from __future__ import annotations

from dataclasses import asdict
from string import Template

from simulator.gui.tokens import Tokens

FIGURE, TITLE = 1.25, 1.75
"""Height of large numbers and of the title of the start page, in heights of the text."""

_SHEET = Template(
    """
QToolTip { background: $raised; color: $text; border: 1px solid $border; padding: 5px 7px; }

QMenuBar { background: $window; padding: 0 6px; }
QMenuBar::item { padding: 17px 9px 16px 9px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $raised; border: 1px solid $border; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 10px; border-radius: 4px; }
QMenu::item:selected { background: $accent_soft; color: $text; }
QMenu::item:disabled { color: $disabled; }
QMenu::separator { height: 1px; background: $border; margin: 5px 6px; }
QMenu::icon { padding-left: 6px; }

QToolBar { background: $window; border: none; padding: 1px 8px; spacing: 3px; }
QToolBar::separator { background: $border; width: 1px; margin: 5px 6px; }
QToolButton { border: 1px solid transparent; border-radius: 6px; padding: 5px; color: $text; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accent_soft; }
QToolButton:focus { border-color: $accent; }
QToolButton#transportRun { background: $accent; color: $on_accent; padding: 5px 14px 5px 10px; font-weight: 600; }
QToolButton#transportRun:disabled { background: $hover; color: $disabled; }
QToolButton::menu-indicator { image: none; }
QToolButton#qt_toolbar_ext_button { padding: 0; border: none; background: $hover;
    qproperty-icon: url($icons/arrow-$name.svg); }

QFileDialog { backward-icon: url($icons/back-$name.svg); forward-icon: url($icons/forward-$name.svg);
    filedialog-parent-directory-icon: url($icons/up-$name.svg); }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }

QWidget#areaHeader { background: $window; border-bottom: 1px solid $border; }
QToolButton#areaTab { border: none; border-radius: 0; border-bottom: 2px solid transparent; padding: 5px 9px 4px 9px;
    color: $muted; }
QToolButton#areaTab:hover { color: $text; background: transparent; }
QToolButton#areaTab:checked { color: $text; background: transparent; border-bottom-color: $accent; }
QToolButton#areaTab:focus { background: $hover; }
QFrame#inspector { background: $window; border: none; }
QWidget#inspectorHead { border-bottom: 1px solid $border; }
QFrame#section { border: none; border-bottom: 1px solid $border; }
QToolButton#sectionTitle { border: none; font-weight: 600; padding: 4px 5px; background: transparent; }
QToolButton#sectionTitle:focus { background: $hover; }
QPushButton[role="link"] { background: transparent; border: none; color: $accent; text-align: left; padding: 1px 0; }
QPushButton[role="link"]:hover, QPushButton[role="link"]:focus { text-decoration: underline; }
QWidget#panelBody { background: $surface; }
QWidget#panelBar { background: $surface; border-bottom: 1px solid $border; }

QTabBar::tab { background: transparent; color: $muted; padding: 6px 12px; border: none;
    border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar { background: $window; border: none; }

QTreeView, QTableView, QListView { background: $surface; border: none; outline: none; }
QTreeView::item, QListView::item { padding: 3px 2px; border: none; }
QTreeView::item:disabled { color: $muted; }
QTreeView::item:hover, QTableView::item:hover, QListView::item:hover { background: $hover; }
QTreeView::item:selected, QTableView::item:selected,
QListView::item:selected { background: $accent_soft; color: $text; }
QTreeView::indicator, QCheckBox::indicator { width: 13px; height: 13px; border: 1px solid $muted; border-radius: 4px;
    background: $surface; }
QTreeView::indicator:hover, QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QTreeView::indicator:checked, QCheckBox::indicator:checked { background: $accent; border-color: $accent;
    image: url($icons/check-$name.svg); }
QCheckBox { spacing: 7px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $border; }
QSlider::sub-page:horizontal { border-radius: 2px; background: $accent; }
QSlider::handle:horizontal { width: 11px; height: 11px; margin: -5px 0; border: 2px solid $accent; border-radius: 7px;
    background: $surface; }
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent_soft; }
QSlider::sub-page:horizontal:disabled, QSlider::handle:horizontal:disabled { background: $border; }
QSlider::handle:horizontal:disabled { border-color: $muted; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; color: $muted; border: none; border-bottom: 1px solid $border;
    padding: 5px 8px;
  font-weight: 400; }
QTableView::item { padding: 0 8px; }
QTableView QHeaderView::section { padding: 5px 11px; }
QTableView QHeaderView::section:vertical { padding: 0 11px; }
QTableView QTableCornerButton::section { background: $surface; border: none; border-bottom: 1px solid $border; }
QScrollArea { background: transparent; border: none; }
QTextBrowser { background: $window; border: none; }
QPlainTextEdit { background: $surface; border: none; }
QSplitter::handle { background: $border; }

QScrollBar:vertical { background: transparent; width: 11px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 11px; margin: 0; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::handle { background: $border; border-radius: 4px; margin: 2px; min-height: 28px; min-width: 28px; }
QScrollBar::handle:hover { background: $disabled; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page,
QScrollBar::sub-page { background: none; width: 0; height: 0; }

QPushButton { background: $raised; border: 1px solid $border; border-radius: 6px; padding: 5px 13px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $accent_soft; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $disabled; }
QPushButton[primary="true"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[primary="true"]:disabled { background: $hover; color: $muted; border-color: $border; }
QPushButton[segment] { border-radius: 0; padding: 4px 11px; margin-left: -1px; }
QPushButton[segment="first"] { border-top-left-radius: 6px; border-bottom-left-radius: 6px; margin-left: 0; }
QPushButton[segment="last"] { border-top-right-radius: 6px; border-bottom-right-radius: 6px; }
QPushButton[segment="only"] { border-radius: 6px; margin-left: 0; }
QPushButton[tool]:checked,
QPushButton[segment]:checked { background: $accent_soft; border-color: $accent; color: $text; }

QComboBox,
QAbstractSpinBox {
    background: $raised; border: 1px solid $border; border-radius: 6px; padding: 3px 7px; min-height: 18px;
}
QComboBox[slim="true"] { padding: 1px 4px 1px 6px; }
QComboBox[slim="true"]::drop-down { width: 16px; }
QPushButton[slim="true"] { padding: 2px 4px; }
QDoubleSpinBox[slim="true"], QLineEdit[slim="true"] { padding: 1px 4px; }
QToolButton[slim="true"] { padding: 2px; }
QComboBox:hover, QAbstractSpinBox:hover { border-color: $disabled; }
QComboBox:focus, QAbstractSpinBox:focus { border-color: $accent; }
QComboBox:disabled, QAbstractSpinBox:disabled { color: $disabled; background: $window; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url($icons/arrow-$name.svg); width: 14px; height: 14px; }
QComboBox { combobox-popup: 0; }
QComboBox QFrame { background: $raised; border: none; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $border; outline: none; padding: 4px; }
QComboBox QAbstractItemView::item { padding: 5px 10px; border-radius: 4px; }
QComboBox QAbstractItemView::item:hover { background: $hover; }
QComboBox QAbstractItemView::item:selected { background: $accent_soft; color: $text; }
QComboBox QAbstractItemView::item:disabled { color: $disabled; }

QFrame#card { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame#card[selected="true"] { border-color: $accent; background: $accent_soft; }
QFrame#follower { background: transparent; border: none; border-left: 2px solid $border; }
QFrame#follower[selected="true"] { border-left-color: $accent; background: $accent_soft; }
QFrame#relation { background: transparent; border: none; border-left: 3px solid transparent;
    border-bottom: 1px solid $border; }
QFrame#relation:hover { background: $hover; }
QFrame#relation:focus { border-left-color: $muted; }
QFrame#relation[selected="true"] { border-left-color: $accent; background: $accent_soft; }
QFrame#tile { background: $raised; border: 1px solid $border; border-radius: 8px; }
QFrame#lawEditor, QFrame#profileEditor { background: $window; border: 1px solid $border; border-radius: 6px; }
QLineEdit#gallerySearch { background: $raised; border: 1px solid $border; border-radius: 8px; padding: 7px 10px; }
QLineEdit#gallerySearch:focus { border-color: $accent; }
QLineEdit[role="number"],
QLineEdit[role="text"] { background: $raised; border: 1px solid $border; border-radius: 6px; padding: 3px 7px;
    min-height: 18px; }
QLineEdit[role="number"]:focus, QLineEdit[role="text"]:focus { border-color: $accent; }
QLineEdit[role="number"][level="error"] { border-color: $error; }
QFrame#onDrawing { background: $raised; border: 1px solid $accent; border-radius: 6px; }
QFrame#onDrawing QLineEdit[role="number"] { border: none; padding: 1px 4px; }
QLabel#refusedOnDrawing { background: $error_soft; color: $error; border: 1px solid $error; border-radius: 6px;
    padding: 6px 9px; }
QProgressBar#busy { background: $accent_soft; border: none; }
QProgressBar#busy::chunk { background: $accent; }
QLabel[role="figure"] { font-size: ${figure}px; font-weight: 600; }
QLabel[level="warning"] { color: $warning; }
QLabel[level="error"] { color: $error; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="muted"][level="error"] { color: $error; }
QLabel[role="law"] { color: $follower; }
QLabel[role="title"] { font-size: ${title}px; font-weight: 600; }
QLabel[role="name"] { font-weight: 600; }
QFrame#banner { border: none; border-bottom: 1px solid $border; }
QFrame#banner[level="error"] { background: $error_soft; }
QFrame#banner[level="warning"] { background: $warning_soft; }
QFrame#banner[level="info"] { background: $accent_soft; }
QPushButton#galleryCard { background: $raised; border: 1px solid $border; border-radius: 10px; padding: 0;
    text-align: left; }
QPushButton#galleryCard:hover, QPushButton#galleryCard:focus { border-color: $accent; background: $hover; }
QStatusBar { background: $window; border-top: 1px solid $border; color: $muted; }
QStatusBar::item { border: none; }
QStatusBar QToolButton { padding: 1px 7px; }
"""
)


def style_sheet(tokens: Tokens, icons: str, text: int) -> str:
    """The application's style sheet in the colours of `tokens`; `icons` is the folder of the icons, `text` the height
    of the font [px]."""
    values = {key: value for key, value in asdict(tokens).items() if isinstance(value, str)}
    return _SHEET.substitute(values, icons=icons, figure=round(FIGURE * text), title=round(TITLE * text))
